/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The clock that the jobs of one fio process share, whichever of our engines
 * they run on.
 */
#ifndef TW_PLUGIN_TIMING_H
#define TW_PLUGIN_TIMING_H

#include "machine/cpu_list.h"
#include "tickwise.h"

/* The CPUs' counters before the first job. */
struct tw_run_start {
	int checked;		/* 0: not compared */
	enum tw_verdict verdict;
	unsigned reasons;
	struct tw_cpu_list cpus;	/* that were compared */
	uint64_t monotonic_ns;	/* when */
};

/* The clock of this process, and whether its counter can be believed. */
struct tw_timing {
	struct tw_clock clock;
	uint64_t step_ns;	/* of the system clock, where it is used */
	struct tw_run_start start;
};

/* Set up by the first who asks, which takes some 25 ms; never NULL. */
const struct tw_timing *tw_timing_of_process(void);

/* The CPUs that the calling thread may run on now: added to @cpus, or set. */
void tw_cpus_note(struct tw_cpu_list *cpus);
void tw_cpus_set(const struct tw_cpu_list *cpus);

#endif
