/* SPDX-License-Identifier: GPL-2.0 */
/* The clock that the jobs of one fio share. */
#ifndef TW_PLUGIN_JOB_CLOCK_TIMING_H
#define TW_PLUGIN_JOB_CLOCK_TIMING_H

#include "fio/run_shared.h"

/* The clock of this process, and if its counter is reliable. */
struct tw_timing {
	struct tw_clock clock;
	uint64_t step_ns;	/* of the system clock, if it is used */
	struct tw_run_start start;
};

/* Return the clock of this process, never NULL. The first call sets it up, which takes
 * some 25 ms. */
const struct tw_timing *tw_timing_of_process(void);

/* Add the CPUs that the calling thread may run on now to @cpus. Let the calling thread
 * run on @cpus. */
void tw_cpus_note(struct tw_cpu_list *cpus);
void tw_cpus_set(const struct tw_cpu_list *cpus);

#endif
