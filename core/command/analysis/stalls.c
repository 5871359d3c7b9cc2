/* SPDX-License-Identifier: MIT */
/*
 * Groups the slowest I/Os that were slow for one cause at one time into
 * stalls. If the causes of an I/O are known, its time is that in which its job
 * could not run; else it is its longest stage. A time that half of the I/Os take anyway is no
 * stall.
 */
#include <string.h>

#include "base/allocate.h"
#include "command/output/page.h"
#include "command/analysis/analysis.h"
#include "latency/histogram.h"
#include "latency/histogram_json.h"

/* A limit, since each I/O is compared with all stalls before it. */
#define MAX_IOS	1000

/* Return the median lat of a direction. */
static uint64_t usual_ns(const struct tw_report_group *group, const struct tw_report_slow *slow)
{
	const char *ddir = tw_report_string(slow->json, "ddir");
	int i = 0;

	while (i + 1 < TW_DIRECTIONS && strcmp(ddir, tw_direction_names[i]))
		i++;
	return tw_histogram_percentile(&group->all.tally.times[TW_LAT][i], 50);
}

/* Find the stall of a single I/O, without that I/O: its longest stage, which must be at least
 * half of lat. Return: 0: there is none, or its time is not known. */
static int stall_of(struct tw_report_stall *stall, const struct tw_report_slow *slow)
{
	struct tw_report_slow_stage list[TW_STAGES];
	int count = tw_report_slow_stages(slow->json, list);
	const json_t *causes = json_object_get(slow->json, "causes");
	const json_t *known = json_object_get(causes, "stall");
	uint64_t since_ns = 0;

	*stall = (struct tw_report_stall) { .slowest = slow };
	for (int i = 0; i < count; i++) {
		/* An I/O is due late as an earlier one was slow: that one has the stall. */
		if (list[i].stage != TW_BACKLOG && list[i].ns > stall->ns) {
			stall->stage = list[i].name;
			stall->from_ns = since_ns;
			stall->ns = list[i].ns;
		}
		since_ns += list[i].ns;
	}
	if (stall->ns == 0 || stall->ns < slow->lat_ns / 2)
		return 0;
	if (causes) {
		stall->from_ns = tw_report_u64(known, "from_ns");
		stall->ns = tw_report_u64(known, "ns");
		return 1;
	}
	stall->from_ns += tw_report_u64(slow->json, "monotonic_ns");
	return json_object_get(slow->json, "monotonic_ns") &&
	       stall->from_ns + stall->ns > stall->ns;
}

/* Are two stalls one? The times must overlap by at least half of the longer one, in the same
 * stage and by the same clock. */
static int are_one(const struct tw_report_group *group, const struct tw_report_stall *a,
		   const struct tw_report_stall *b)
{
	uint64_t from_ns = a->from_ns > b->from_ns ? a->from_ns : b->from_ns;
	uint64_t a_to_ns = a->from_ns + a->ns, b_to_ns = b->from_ns + b->ns;
	uint64_t to_ns = a_to_ns < b_to_ns ? a_to_ns : b_to_ns;
	uint64_t longer_ns = a->ns > b->ns ? a->ns : b->ns;

	return to_ns > from_ns && to_ns - from_ns >= longer_ns / 2 &&
	       strcmp(a->stage, b->stage) == 0 &&
	       strcmp(tw_report_job_of(group, a->slowest)->host,
		      tw_report_job_of(group, b->slowest)->host) == 0;
}

static void add(struct tw_report_stall *stall, const struct tw_report_slow *slow)
{
	uint64_t offset = tw_report_u64(slow->json, "offset"), end;
	size_t i = 0;

	if (__builtin_add_overflow(offset, tw_report_u64(slow->json, "size"), &end))
		end = offset;
	if (stall->ios == 0 || offset < stall->offset_from)
		stall->offset_from = offset;
	if (end > stall->offset_to)
		stall->offset_to = end;
	stall->ios++;
	while (i < stall->job_count && stall->jobs[i] != slow->job)
		i++;
	if (i == TW_REPORT_STALL_JOBS)
		stall->more_jobs = 1;
	else if (i == stall->job_count)
		stall->jobs[stall->job_count++] = slow->job;
}

void tw_report_find_stalls(struct tw_report_group *group)
{
	size_t most = group->all.slow_count < MAX_IOS ? group->all.slow_count : MAX_IOS;
	struct tw_report_stall *stall, found;

	group->stalls = tw_zalloc(most, sizeof(*group->stalls));
	for (size_t i = 0; i < most; i++) {
		if (!stall_of(&found, &group->all.slowest[i]) ||
		    found.ns <= usual_ns(group, found.slowest))
			continue;
		for (stall = group->stalls; stall < group->stalls + group->stall_count; stall++)
			if (are_one(group, stall, &found))
				break;
		if (stall == group->stalls + group->stall_count)
			group->stalls[group->stall_count++] = found;
		add(stall, found.slowest);
	}
}

json_t *tw_report_stalls_to_json(const struct tw_report_group *group)
{
	json_t *array = json_array();

	for (size_t i = 0; i < group->stall_count; i++) {
		const struct tw_report_stall *stall = &group->stalls[i];
		json_t *jobs = json_array();

		for (size_t j = 0; j < stall->job_count; j++)
			json_array_append_new(jobs, tw_json_of_u64(stall->jobs[j]));
		json_array_append_new(array, json_pack("{s:s, s:s*, s:o, s:o, s:o, s:o, s:o, s:o}",
			"stage", stall->stage,
			"cause", tw_report_say_stall(stall),
			"from_ns", tw_json_of_u64(stall->from_ns),
			"ns", tw_json_of_u64(stall->ns),
			"ios", tw_json_of_u64(stall->ios),
			"offset_from", tw_json_of_u64(stall->offset_from),
			"offset_to", tw_json_of_u64(stall->offset_to),
			"jobs", jobs));
	}
	return array;
}
