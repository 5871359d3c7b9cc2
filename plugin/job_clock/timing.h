/* SPDX-License-Identifier: GPL-2.0 */
/* The clock that the jobs of one fio share, and whether its counter was reliable. */
#ifndef TW_PLUGIN_JOB_CLOCK_TIMING_H
#define TW_PLUGIN_JOB_CLOCK_TIMING_H

#include <jansson.h>

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

/* Add the CPUs that the calling thread may run on now to @cpus. */
void tw_cpus_note(struct tw_cpu_list *cpus);

/* ---- counter_verdict.c: was the counter reliable in a job? ---- */

/* Check the clock of a job that has ended, and log what is bad. This makes no thread and
 * takes some ms at most. @end: its cpus and backwards are set by the caller. */
void tw_job_look(const char *job_name, const struct tw_timing *timing,
		 struct tw_job_end *end);

/* Compare the counters of @cpus by a thread on each, which takes some 10 to 200 ms, and
 * log if they disagree. The caller's affinity stays as it was. */
void tw_run_compare(const struct tw_timing *timing,
		    const struct tw_cpu_list *cpus, struct tw_run_end *end);

/* Return the report's "counter"; NULL without memory. @run: NULL if no counters were
 * compared after this job. */
json_t *tw_counter_to_json(const struct tw_job_end *job, const struct tw_run_end *run);

#endif
