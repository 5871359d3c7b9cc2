/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The verdict on the counter. It combines the checks that were made when the clock was
 * set up, after each job, and after the run. If the counter went wrong in between, the
 * job's latencies are worthless, and the report contains a warning. An I/O that ended
 * before it began proves that by itself.
 *
 *	reliable	every check found the counter good
 *	undecided	a check was not made, had no result, or left out a CPU of the job
 *	unreliable	a check found the counter bad
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fio/message.h"
#include "timing.h"
#include "trust.h"

void tw_job_look(const char *job_name, const struct tw_timing *timing,
		 struct tw_job_end *end)
{
	unsigned i;

	end->start = timing->start;
	end->system = timing->clock.system;
	end->step_ns = timing->step_ns;
	tw_cpus_note(&end->cpus);
	if (!end->system)
		end->error = -tw_clock_look(&timing->clock, &end->health);
	for (i = 0; !end->system && !end->error && i < TW_HEALTH_CHECKS; i++)
		if (end->health.state[i] == TW_HEALTH_BAD)
			tw_message("tickwise: %s: the counter was not reliable in this "
				   "job, so the latencies are not either: at the job's "
				   "end this was false: %s\n", job_name,
				   tw_text(TW_ENUM_HEALTH_CHECK, i));
	if (end->backwards)
		tw_message("tickwise: %s: the clock was not reliable in this job, so "
			   "the latencies are not either: %llu I/Os or stages of I/Os "
			   "ended before they began\n", job_name,
			   (unsigned long long) end->backwards);
}

/* The calling thread may run on the CPUs of all jobs during the comparison. Its own
 * CPUs may be fewer, or others than those of another job. */
void tw_run_compare(const struct tw_timing *timing,
		    const struct tw_cpu_list *cpus, struct tw_run_end *end)
{
	const struct tw_trust_compared *found = &end->found;
	struct tw_cpu_list before = { 0 };
	char apart[80] = "";

	*end = (struct tw_run_end) { .found.verdict = TW_UNDECIDED };
	tw_cpus_note(&before);
	if (cpus->known && before.known)
		tw_cpu_list_allow(cpus);
	/* Some of @cpus may be offline now. */
	tw_cpus_note(&end->cpus);
	end->error = -tw_trust_compare(TW_TRUST_RUN_END, timing->clock.scale.hz,
				       &end->found);
	if (before.known)
		tw_cpu_list_allow(&before);
	if (end->error || found->verdict != TW_UNRELIABLE)
		return;
	if (isfinite(found->low_ns) && isfinite(found->high_ns))
		snprintf(apart, sizeof(apart), "; they are %.0f to %.0f ns apart",
			 found->low_ns, found->high_ns);
	tw_message("tickwise: the counters of the CPUs did not agree when the "
		"last job had ended (%s%s), so the latencies of this run are "
		"not reliable\n", tw_text(TW_ENUM_REASON, found->reasons &
					  -found->reasons), apart);
}

/* Add a reason whose text, and whose code, may have a second part; else it is "". */
static void add_reason(json_t *array, const char *code, const char *more_code,
		       const char *text, const char *more_text)
{
	json_array_append_new(array, json_pack("{ss+, ss+}", "code", code, more_code,
					       "text", text, more_text));
}

/* Add the reasons why it is unknown if the CPUs' counters agree. */
static void add_open(json_t *array, const struct tw_job_end *job,
		     const struct tw_run_end *run)
{
	if (!run)
		add_reason(array, "end_cpus_not_compared", "", "the counters of the CPUs were "
			   "not compared after this job: other jobs were still running", "");
	else if (run->error)
		add_reason(array, "end_cpus_not_compared", "", "the counters of the CPUs could "
			   "not be compared at the run's end: ", strerror(run->error));
	else if (run->found.verdict == TW_UNDECIDED)
		add_reason(array, "end_cpus_undecided", "", "comparing the counters of the CPUs "
			   "had no result at the run's end: the comparison was disturbed, or too "
			   "short", "");
	else if (!tw_cpu_list_covers(&run->cpus, &job->cpus))
		add_reason(array, "end_cpus_not_covered", "", "not all of the CPUs that the job "
			   "may have run on were compared at the run's end", "");
	if (job->start.checked && !tw_cpu_list_covers(&job->start.cpus, &job->cpus))
		add_reason(array, "cpus_not_covered", "", "not all of the CPUs that the job may "
			   "have run on were compared before it began", "");
}

static json_t *reasons_to_json(const struct tw_job_end *job,
			       const struct tw_run_end *run,
			       const struct tw_clock_health *end)
{
	unsigned reasons = job->start.found.reasons, bit, i;
	json_t *array = json_array();

	if (job->backwards)
		reasons |= TW_REASON_BACKWARDS;
	if (job->step_ns > 1)
		add_reason(array, "coarse_clock", "", "the system's clock, which was used, moves "
			   "in steps: a latency of 0 is one of less than a step", "");
	if (job->error)
		add_reason(array, "end_unchecked", "", "the counter could not be checked again "
			   "at the job's end: ", strerror(job->error));
	for (bit = 1; bit && bit <= reasons; bit <<= 1)
		if (reasons & bit)
			add_reason(array, tw_name(TW_ENUM_REASON, bit), "",
				   tw_text(TW_ENUM_REASON, bit), "");
	for (i = 0; end && i < TW_HEALTH_CHECKS; i++)
		if (end->state[i] == TW_HEALTH_BAD)
			add_reason(array, "end_", tw_name(TW_ENUM_HEALTH_CHECK, i),
				   "at the job's end this was false: ",
				   tw_text(TW_ENUM_HEALTH_CHECK, i));
	if (end && end->state[TW_HEALTH_PREDICTION] == TW_HEALTH_UNDECIDED)
		add_reason(array, "end_prediction_undecided", "", "the check of the clock at "
			   "the job's end had no result", "");
	if (!job->system)
		add_open(array, job, run);
	return array;
}

json_t *tw_counter_to_json(const struct tw_job_end *job, const struct tw_run_end *run)
{
	const bool was_looked_at = !job->system && !job->error;
	struct tw_clock_health all = job->health;
	const struct tw_trust_seen_job seen = {
		.start = job->start.found.verdict,
		.start_covers = tw_cpu_list_covers(&job->start.cpus, &job->cpus),
		.end = was_looked_at ? &all : NULL,
		.is_backwards = job->backwards != 0,
		.is_system = job->system,
	};
	enum tw_verdict verdict;

	if (was_looked_at)
		tw_trust_clock(&all, run && !run->error ? &run->found : NULL,
			       run && tw_cpu_list_covers(&run->cpus, &job->cpus));
	verdict = tw_trust_job(&seen);
	return json_pack("{ss, so}",
			 "verdict", job->start.checked || verdict == TW_UNRELIABLE ?
				tw_name(TW_ENUM_VERDICT, verdict) : "unchecked",
			 "reasons", reasons_to_json(job, run, seen.end));
}
