/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What was found of the counter when the clock was set up, when a job had ended
 * and when the run had: put together to a verdict. A counter that went wrong in
 * between makes the job's latencies worthless, and the report says so. I/Os that
 * ended before they began are proof by themselves. The verdict is "reliable" only
 * where every check found the counter good. It is "undecided" where a check was
 * not made, had no result, or left out a CPU of the job.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "health.h"
#include "message.h"
#include "timespec.h"
#include "trust.h"
#include "trust_measure.h"

#define COMPARE_NS	50000000ULL
/* One that others disturb is no evidence, and nothing runs that it could disturb. */
#define COMPARE_TRIES	4

static void tell_backwards(const char *job_name, uint64_t count)
{
	tw_message("tickwise: %s: the clock was not reliable in this job, "
		"so its latencies are not: by it %llu I/Os, or stages of "
		"them, took less than no time\n", job_name,
		(unsigned long long) count);
}

static void tell_bad(const char *job_name, const struct tw_clock_health *end)
{
	unsigned i;

	for (i = 0; i < TW_HEALTH_CHECKS; i++)
		if (end->state[i] == TW_HEALTH_BAD)
			tw_message("tickwise: %s: the counter was not "
				"reliable in this job, so its latencies are "
				"not: at its end it was not so that %s\n",
				job_name, tw_text(TW_ENUM_HEALTH_CHECK, i));
}

void tw_job_look(const char *job_name, const struct tw_timing *timing,
		 struct tw_job_end *end)
{
	end->start = timing->start;
	end->system = timing->clock.system;
	end->step_ns = timing->step_ns;
	tw_cpus_note(&end->cpus);
	if (!end->system) {
		end->error = -tw_clock_look(&timing->clock, &end->health);
		if (!end->error)
			tell_bad(job_name, &end->health);
	}
	if (end->backwards)
		tell_backwards(job_name, end->backwards);
}

static int compare_once(const struct tw_timing *timing, struct tw_run_end *end)
{
	const struct tw_reliability_options options = {
		.time_limit_ns = COMPARE_NS,
		.hz = timing->clock.rate.hz,
	};
	struct tw_reliability found;
	int ret = tw_reliability_measure(&found, &options);

	if (ret)
		return -ret;
	end->verdict = found.verdict;
	end->reasons = found.reasons;
	end->low_ns = (double) found.offset_low_ticks / options.hz * 1e9;
	end->high_ns = (double) found.offset_high_ticks / options.hz * 1e9;
	tw_reliability_free(&found);
	return 0;
}

/* Jobs may have been kept on fewer CPUs than they began with, or each on
 * others: for as long as this takes the thread may run on all of theirs. */
void tw_run_compare(const struct tw_timing *timing,
		    const struct tw_cpu_list *cpus, struct tw_run_end *end)
{
	struct tw_cpu_list before = { 0 };
	unsigned tries = COMPARE_TRIES;

	*end = (struct tw_run_end) { .verdict = TW_UNDECIDED };
	tw_cpus_note(&before);
	if (cpus->known && before.known)
		tw_cpus_set(cpus);
	/* What of them there is now. */
	tw_cpus_note(&end->cpus);
	do {
		end->error = compare_once(timing, end);
	} while (!end->error && end->verdict == TW_UNDECIDED && --tries);
	end->monotonic_ns = tw_clock_id_ns(CLOCK_MONOTONIC);
	if (before.known)
		tw_cpus_set(&before);
	if (!end->error && end->verdict == TW_UNRELIABLE)
		tw_message("tickwise: the counters of the CPUs did not "
			"agree when the last job had ended (%.0f to %.0f ns "
			"apart), so the latencies of this run are not "
			"reliable\n", end->low_ns, end->high_ns);
}

/* Are all of @cpus among the others? */
static bool covers(const struct tw_cpu_list *others,
		   const struct tw_cpu_list *cpus)
{
	struct tw_cpu_list rest;

	tw_cpu_list_without(&rest, cpus, others);
	return rest.known && tw_cpu_list_count(&rest) == 0;
}

static enum tw_health_state state_of_cpus(const struct tw_job_end *job,
					  const struct tw_run_end *run)
{
	if (!run || run->error)
		return TW_HEALTH_NOT_RUN;
	if (run->verdict == TW_UNRELIABLE)
		return TW_HEALTH_BAD;
	return run->verdict == TW_RELIABLE && covers(&run->cpus, &job->cpus) ?
	       TW_HEALTH_GOOD : TW_HEALTH_UNDECIDED;
}

static void add_reason(json_t *array, const char *code, const char *text)
{
	json_array_append_new(array, json_pack("{ss, ss}", "code", code,
					       "text", text));
}

/* Why the CPUs' counters are not known to be good, which is not to say bad. */
static void add_open(json_t *array, const struct tw_job_end *job,
		     const struct tw_run_end *run)
{
	if (!run)
		add_reason(array, "end_cpus_not_compared", "the counters of the "
			   "CPUs were not compared after this job: other jobs "
			   "were still running");
	else if (run->error)
		json_array_append_new(array, json_pack("{ss, ss+}",
			"code", "end_cpus_not_compared",
			"text", "the counters of the CPUs could not be "
			"compared at the run's end: ", strerror(run->error)));
	else if (run->verdict == TW_UNDECIDED)
		add_reason(array, "end_cpus_undecided", "comparing the counters "
			   "of the CPUs had no result at the run's end: the "
			   "comparison was disturbed, or too short");
	else if (!covers(&run->cpus, &job->cpus))
		add_reason(array, "end_cpus_not_covered", "not all of the CPUs "
			   "that the job may have run on were compared at the "
			   "run's end");
	if (job->start.checked && !covers(&job->start.cpus, &job->cpus))
		add_reason(array, "cpus_not_covered", "not all of the CPUs that "
			   "the job may have run on were compared before it "
			   "began");
}

static json_t *reasons_to_json(const struct tw_job_end *job,
			       const struct tw_run_end *run,
			       const struct tw_clock_health *end)
{
	unsigned reasons = job->start.reasons, bit, i;
	json_t *array = json_array();

	if (job->backwards)
		reasons |= TW_REASON_BACKWARDS;
	if (job->step_ns > 1)
		add_reason(array, "coarse_clock", "the system's clock, which was "
			   "used, moves in steps: a latency of 0 is one of less "
			   "than a step");
	if (job->error)
		json_array_append_new(array, json_pack("{ss, ss+}",
			"code", "end_unchecked",
			"text", "the counter could not be looked at again at "
			"the job's end: ", strerror(job->error)));
	for (bit = 1; bit && bit <= reasons; bit <<= 1)
		if (reasons & bit)
			add_reason(array, tw_name(TW_ENUM_REASON, bit),
				   tw_text(TW_ENUM_REASON, bit));
	for (i = 0; end && i < TW_HEALTH_CHECKS; i++)
		if (end->state[i] == TW_HEALTH_BAD)
			json_array_append_new(array, json_pack("{ss+, ss+}",
				"code", "end_",
				tw_name(TW_ENUM_HEALTH_CHECK, i),
				"text", "at the job's end it was not so that ",
				tw_text(TW_ENUM_HEALTH_CHECK, i)));
	if (end && end->state[TW_HEALTH_PREDICTION] == TW_HEALTH_UNDECIDED)
		add_reason(array, "end_prediction_undecided", "the check of the "
			   "clock at the job's end had no result");
	if (!job->system)
		add_open(array, job, run);
	return array;
}

static json_t *checks_to_json(const struct tw_clock_health *end)
{
	json_t *array = json_array();
	unsigned i;

	for (i = 0; i < TW_HEALTH_CHECKS; i++)
		json_array_append_new(array, json_pack("{ss, ss, ss, ss}",
			"name", tw_name(TW_ENUM_HEALTH_CHECK, i),
			"state", tw_name(TW_ENUM_HEALTH_STATE, end->state[i]),
			"good_means", tw_text(TW_ENUM_HEALTH_CHECK, i),
			"cannot_see", tw_text(TW_ENUM_HEALTH_BLIND, i)));
	return array;
}

static json_t *end_to_json(const struct tw_clock_health *end)
{
	return json_pack("{ss, sI, sf, sf, sf, sI, so}",
			 "verdict", tw_name(TW_ENUM_VERDICT, end->verdict),
			 "over_ns", (json_int_t) end->over_ns,
			 "drift_low_ns", end->drift_low_ns,
			 "drift_high_ns", end->drift_high_ns,
			 "drift_allowed_ns", end->drift_allowed_ns,
			 "suspended_ns", (json_int_t) end->suspended_ns,
			 "checks", checks_to_json(end));
}

/* A kernel that keeps time by another clock says nothing against the counter. */
static bool is_all_good(const struct tw_clock_health *end)
{
	return end->state[TW_HEALTH_PREDICTION] == TW_HEALTH_GOOD &&
	       end->state[TW_HEALTH_SUSPEND] == TW_HEALTH_GOOD &&
	       end->state[TW_HEALTH_CPUS] == TW_HEALTH_GOOD;
}

/* @end: NULL, there was no look at the end. */
static enum tw_verdict verdict_of(const struct tw_job_end *job,
				  const struct tw_clock_health *end)
{
	if ((end && end->verdict == TW_UNRELIABLE) || job->backwards)
		return TW_UNRELIABLE;
	if (job->system || job->start.verdict != TW_RELIABLE)
		return job->start.verdict;
	return end && is_all_good(end) && covers(&job->start.cpus, &job->cpus) ?
	       TW_RELIABLE : TW_UNDECIDED;
}

static json_t *cpus_to_json(const struct tw_cpu_list *cpus)
{
	char *text = NULL;
	size_t size;
	json_t *json;
	FILE *file;

	if (!cpus->known)
		return NULL;
	file = open_memstream(&text, &size);
	if (!file)
		return NULL;
	tw_cpu_list_print(cpus, file);
	fclose(file);
	json = text ? json_string(text) : NULL;
	free(text);
	return json;
}

/* What the verdict is about: which CPUs, and from when to when. */
static json_t *covers_to_json(const struct tw_job_end *job,
			      const struct tw_run_end *run)
{
	json_t *object = json_pack("{so*}", "job_cpus",
				   cpus_to_json(&job->cpus));

	if (job->start.checked)
		json_object_set_new(object, "start_cpus",
				    cpus_to_json(&job->start.cpus));
	if (!run || run->error)
		return object;
	json_object_set_new(object, "end_cpus", cpus_to_json(&run->cpus));
	if (job->start.checked)
		json_object_set_new(object, "over_ns", json_integer((json_int_t)
				    (run->monotonic_ns - job->start.monotonic_ns)));
	return object;
}

json_t *tw_counter_to_json(const struct tw_job_end *job,
			   const struct tw_run_end *run)
{
	struct tw_clock_health all = job->health, *end = NULL;
	enum tw_verdict verdict;
	json_t *counter;

	if (!job->system && !job->error) {
		end = &all;
		all.state[TW_HEALTH_CPUS] = state_of_cpus(job, run);
		if (run && !run->error) {
			all.cpu_reasons = run->reasons;
			all.cpu_low_ns = run->low_ns;
			all.cpu_high_ns = run->high_ns;
		}
		all.verdict = tw_health_verdict(&all);
	}
	verdict = verdict_of(job, end);
	counter = json_pack("{ss, sb, so, so}",
			    "verdict", job->start.checked ||
				verdict == TW_UNRELIABLE ?
				tw_name(TW_ENUM_VERDICT, verdict) : "unchecked",
			    "fallback", job->system,
			    "reasons", reasons_to_json(job, run, end),
			    "covers", covers_to_json(job, run));
	if (end)
		json_object_set_new(counter, "at_end", end_to_json(end));
	return counter;
}
