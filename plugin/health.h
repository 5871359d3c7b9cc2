/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Whether the counter could be believed in a job, and what the report says of
 * it. Each job checks its own clock when it has ended. Comparing the counters of
 * the CPUs takes a thread on each of them, which would disturb the jobs that still
 * run: it waits for the end of the run (run_end.h).
 */
#ifndef TW_PLUGIN_HEALTH_H
#define TW_PLUGIN_HEALTH_H

#include <jansson.h>
#include <stdbool.h>

#include "timing.h"
#include "trust.h"

/* What a job found when it had ended. */
struct tw_job_end {
	struct tw_run_start start;
	bool system;			/* its times are the system clock's, */
	uint64_t step_ns;		/* which moves in these steps */
	struct tw_cpu_list cpus;	/* that it may have run on */
	uint64_t backwards;		/* stamps that contradict each other */
	int error;			/* no look, errno; 0: health is set */
	struct tw_clock_health health;	/* but for the CPUs */
};

/* What the CPUs' counters were like when the last job of the run had ended. */
struct tw_run_end {
	struct tw_cpu_list cpus;	/* that were compared */
	int error;			/* not compared, errno */
	struct tw_trust_compared found;
	uint64_t monotonic_ns;		/* when */
};

/* Looks at the clock, which makes no thread and takes some ms at most, and says
 * in the log what is bad. @end: with the job's CPUs and backwards filled in. */
void tw_job_look(const char *job_name, const struct tw_timing *timing,
		 struct tw_job_end *end);

/* Compares the counters of @cpus by a thread on each, some 10 to 200 ms, and
 * says in the log if they disagree. The caller's affinity is as before. */
void tw_run_compare(const struct tw_timing *timing,
		    const struct tw_cpu_list *cpus, struct tw_run_end *end);

/* @run: NULL, nothing was compared after this job. NULL: out of memory. */
json_t *tw_counter_to_json(const struct tw_job_end *job,
			   const struct tw_run_end *run);

#endif
