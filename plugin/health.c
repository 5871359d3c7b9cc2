/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Whether the counter could be believed: what was found when the clock was set
 * up, and what is found when a job has ended. A counter that went wrong in
 * between makes the job's latencies worthless, and the report says so; that
 * the second look was disturbed is no evidence. I/Os that ended before they
 * began are: whatever the looks found, two stamps contradict each other.
 */
#include <stdio.h>
#include <string.h>

#include "health.h"

/* @end: NULL, there was no second look; @end_error says why if it failed. */
static json_t *reasons_to_json(const struct tw_timing *timing,
			       uint64_t backwards,
			       const struct tw_clock_health *end,
			       int end_error)
{
	unsigned reasons = timing->reasons, bit, i;
	json_t *array = json_array();

	if (backwards)
		reasons |= TW_REASON_BACKWARDS;
	if (timing->step_ns > 1)
		json_array_append_new(array, json_pack("{ss, ss}",
			"code", "coarse_clock",
			"text", "the system's clock, which was used, moves in "
			"steps: a latency of 0 is one of less than a step"));
	if (end_error)
		json_array_append_new(array, json_pack("{ss, ss+}",
			"code", "end_unchecked",
			"text", "the counter could not be looked at again at "
			"the job's end: ", strerror(end_error)));

	for (bit = 1; bit && bit <= reasons; bit <<= 1)
		if (reasons & bit)
			json_array_append_new(array, json_pack("{ss, ss}",
				"code", tw_reliability_reason_code(bit),
				"text", tw_reliability_reason_text(bit)));
	for (i = 0; end && i < TW_HEALTH_CHECKS; i++)
		if (end->state[i] == TW_HEALTH_BAD)
			json_array_append_new(array, json_pack("{ss+, ss+}",
				"code", "end_", tw_health_check_name(i),
				"text", "at the job's end it was not so that ",
				tw_health_check_text(i)));
	return array;
}

static json_t *checks_to_json(const struct tw_clock_health *end)
{
	json_t *array = json_array();
	unsigned i;

	for (i = 0; i < TW_HEALTH_CHECKS; i++)
		json_array_append_new(array, json_pack("{ss, ss, ss, ss}",
			"name", tw_health_check_name(i),
			"state", tw_health_state_name(end->state[i]),
			"good_means", tw_health_check_text(i),
			"cannot_see", tw_health_blind_text(i)));
	return array;
}

static json_t *end_to_json(const struct tw_clock_health *end)
{
	return json_pack("{ss, sI, sf, sf, sf, sI, so}",
			 "verdict", tw_verdict_name(end->verdict),
			 "over_ns", (json_int_t) end->over_ns,
			 "drift_low_ns", end->drift_low_ns,
			 "drift_high_ns", end->drift_high_ns,
			 "drift_allowed_ns", end->drift_allowed_ns,
			 "suspended_ns", (json_int_t) end->suspended_ns,
			 "checks", checks_to_json(end));
}

static const char *verdict_of(const struct tw_timing *timing,
			      uint64_t backwards,
			      const struct tw_clock_health *end, int end_error)
{
	if ((end && end->verdict == TW_UNRELIABLE) || backwards)
		return tw_verdict_name(TW_UNRELIABLE);
	if (!timing->checked)
		return "unchecked";
	if (end_error && timing->verdict == TW_RELIABLE)
		return tw_verdict_name(TW_UNDECIDED);
	return tw_verdict_name(timing->verdict);
}

static void tell_backwards(const char *job_name, uint64_t count)
{
	fprintf(stderr, "tickwise: %s: the clock was not reliable in this job, "
		"so its latencies are not: by it %llu I/Os, or stages of "
		"them, took less than no time\n", job_name,
		(unsigned long long) count);
}

static void tell_end(const char *job_name, const struct tw_clock_health *end)
{
	unsigned i;

	for (i = 0; i < TW_HEALTH_CHECKS; i++)
		if (end->state[i] == TW_HEALTH_BAD)
			fprintf(stderr, "tickwise: %s: the counter was not "
				"reliable in this job, so its latencies are "
				"not: at its end it was not so that %s\n",
				job_name, tw_health_check_text(i));
}

json_t *tw_counter_to_json(const char *job_name, const struct tw_timing *timing,
			   uint64_t backwards)
{
	struct tw_clock_health found, *end = NULL;
	int end_error = 0;
	json_t *counter;

	if (!timing->clock.system)
		end_error = -tw_clock_check(&timing->clock, &found);
	if (!timing->clock.system && !end_error) {
		end = &found;
		tell_end(job_name, end);
	}
	if (backwards)
		tell_backwards(job_name, backwards);
	counter = json_pack("{ss, sb, so}",
			    "verdict", verdict_of(timing, backwards, end,
						  end_error),
			    "fallback", timing->clock.system,
			    "reasons", reasons_to_json(timing, backwards,
						       end, end_error));
	if (end)
		json_object_set_new(counter, "at_end", end_to_json(end));
	return counter;
}
