/* SPDX-License-Identifier: MIT */
/*
 * Comparing the counters of the allowed CPUs. Internal: callers of the library use
 * tw_reliability_measure().
 */
#ifndef TW_ESTIMATE_RELIABILITY_H
#define TW_ESTIMATE_RELIABILITY_H

#include "probe.h"
#include "tickwise.h"

/* Find how far the counters are apart, and the reasons that follow. All of @result but
 * the verdict is set; release it with tw_reliability_free(). @options: complete, see
 * tw_trust_options(). @system: NULL: the real one. The counter must be readable.
 * Return: as tw_reliability_measure(). */
int tw_estimate(struct tw_reliability *result,
		const struct tw_reliability_options *options,
		const struct tw_probe_system *system);

/* ---- the largest counter of some CPUs: wrap.c ---- */

struct tw_wrap_tour {
	const unsigned *cpus;
	unsigned count;
	/* Read the counter on a CPU. Return 0; otherwise the CPU can't be used and
	 * is left out. */
	int (*read)(unsigned cpu, uint64_t *ticks);
	/* set by the tour; the last two if any CPU was read */
	unsigned visited;
	unsigned largest_cpu;
	uint64_t largest_ticks;
};

/* Make the tour. If counters are equal, the last CPU is taken. A thread can run this. */
void *tw_wrap_visit(void *tour);

#endif
