/* SPDX-License-Identifier: GPL-2.0 */
/* Was the counter reliable in a job? */
#ifndef TW_PLUGIN_JOB_CLOCK_COUNTER_VERDICT_H
#define TW_PLUGIN_JOB_CLOCK_COUNTER_VERDICT_H

#include <jansson.h>

#include "timing.h"

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
