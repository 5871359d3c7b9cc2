/* SPDX-License-Identifier: MIT */
/*
 * The lists in the reports of a group, merged: the slowest I/Os, and the
 * intervals of the run.
 *
 * Intervals are put together by their distance from their own job's start.
 * Sums, extremes and counts stay exact. A percentile of several jobs can't be
 * had from theirs, but the largest of theirs is an upper bound of it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "latency/histogram_json.h"
#include "report.h"

static int by_total(const void *left, const void *right)
{
	const struct tw_report_slow *a = left, *b = right;

	if (a->total_ns != b->total_ns)
		return a->total_ns > b->total_ns ? -1 : 1;
	/* The same for the same files, in whatever order: reports are sorted,
	 * and each one's I/Os stand in its array as they were read. */
	if (a->report != b->report)
		return a->report < b->report ? -1 : 1;
	return a->at < b->at ? -1 : a->at > b->at;
}

static uint64_t total_ns_of(const json_t *slow)
{
	uint64_t ns = 0;

	tw_json_to_u64(json_object_get(json_object_get(slow, "stages"),
				       "total"), &ns);
	return ns;
}

/* As many as one job kept: these are the slowest of all. Of what comes after
 * them, others may be slower that their jobs did not keep. */
int tw_report_merge_slowest(struct tw_report_group *group)
{
	size_t count = 0, most = 0;

	for (size_t i = 0; i < group->size; i++) {
		size_t kept = json_array_size(group->members[i]->slowest);

		count += kept;
		if (kept > most)
			most = kept;
	}
	if (count == 0)
		return 0;
	group->slowest = calloc(count, sizeof(*group->slowest));
	if (!group->slowest)
		return -ENOMEM;
	for (size_t i = 0; i < group->size; i++) {
		const json_t *all = group->members[i]->slowest;

		for (size_t j = 0; j < json_array_size(all); j++) {
			const json_t *json = json_array_get(all, j);

			group->slowest[group->slow_count++] =
				(struct tw_report_slow) {
					.json = json,
					.report = group->members[i],
					.at = j,
					.total_ns = total_ns_of(json),
				};
		}
	}
	qsort(group->slowest, count, sizeof(*group->slowest), by_total);
	group->slow_count = most;
	return 0;
}

/* ---- intervals ----------------------------------------------------------- */

static int add_interval(struct tw_report_interval *into,
			const struct tw_report_interval *from)
{
	int over = 0;

	/* A job's last interval may be cut short. */
	if (from->over_ns > into->over_ns)
		into->over_ns = from->over_ns;
	for (int i = 0; i < TW_REPORT_DIRECTIONS; i++) {
		__typeof__(into->of[0]) *a = &into->of[i];
		const __typeof__(into->of[0]) *b = &from->of[i];

		if (b->count == 0)
			continue;
		if (a->count == 0 || b->min_ns < a->min_ns)
			a->min_ns = b->min_ns;
		if (b->max_ns > a->max_ns)
			a->max_ns = b->max_ns;
		if (b->p99_ns > a->p99_ns)
			a->p99_ns = b->p99_ns;
		over |= __builtin_add_overflow(a->count, b->count, &a->count);
		over |= __builtin_add_overflow(a->sum_ns, b->sum_ns,
					       &a->sum_ns);
	}
	return over ? -EOVERFLOW : 0;
}

/* Both are cut at the same points, as far as the shorter goes. */
static int same_cuts(const struct tw_report_over_time *a,
		     const struct tw_report_over_time *b)
{
	size_t count = a->count < b->count ? a->count : b->count;

	for (size_t i = 0; i < count; i++)
		if (a->intervals[i].from_ns != b->intervals[i].from_ns)
			return 0;
	return 1;
}

static const struct tw_report_over_time *
longest_over_time(const struct tw_report_group *group)
{
	const struct tw_report_over_time *longest =
		&group->members[0]->over_time;

	for (size_t i = 1; i < group->size; i++)
		if (group->members[i]->over_time.count > longest->count)
			longest = &group->members[i]->over_time;
	return longest;
}

int tw_report_merge_over_time(struct tw_report_group *group)
{
	const struct tw_report_over_time *longest = longest_over_time(group);
	struct tw_report_over_time *into = &group->over_time;
	int error = 0;

	/* With one job missing, the others' sum would not be the group's. */
	if (group->tally.missing & TW_REPORT_NO_OVER_TIME || !longest->count)
		return 0;
	for (size_t i = 0; i < group->size; i++)
		if (!same_cuts(longest, &group->members[i]->over_time)) {
			group->over_time_differs = 1;
			return 0;
		}
	into->intervals = calloc(longest->count, sizeof(*into->intervals));
	if (!into->intervals)
		return -ENOMEM;
	into->count = longest->count;
	for (size_t i = 0; i < into->count; i++)
		into->intervals[i].from_ns = longest->intervals[i].from_ns;
	for (size_t i = 0; i < group->size; i++) {
		const struct tw_report_over_time *from =
			&group->members[i]->over_time;

		for (size_t j = 0; j < from->count && !error; j++)
			error = add_interval(&into->intervals[j],
					     &from->intervals[j]);
	}
	return error;
}
