/* SPDX-License-Identifier: MIT */
/*
 * Merges the slowest I/Os of a group's reports.
 */
#include <errno.h>
#include <stdlib.h>

#include "command/reports/merge_slowest.h"
#include "report/want.h"

static uint64_t lat_of(const json_t *io)
{
	return tw_report_u64(json_object_get(io, "stages"), "lat");
}

static int by_lat(const void *left, const void *right)
{
	const struct tw_report_slow *a = left, *b = right;

	if (a->lat_ns != b->lat_ns)
		return a->lat_ns > b->lat_ns ? -1 : 1;
	/* The order does not depend on the order of the files: reports are
	 * sorted, and the I/Os of each have the order of its array. */
	if (a->report != b->report)
		return a->report < b->report ? -1 : 1;
	return a->at < b->at ? -1 : a->at > b->at;
}

/* Keep as many I/Os as one job kept, which are the slowest of all. Among the
 * later ones, jobs may have left out slower I/Os. */
int tw_report_merge_slowest(struct tw_report_group *group)
{
	size_t count = 0, most = 0, slow_count = 0;

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
		const struct tw_report *report = group->members[i];

		for (size_t j = 0; j < json_array_size(report->slowest); j++) {
			const json_t *json = json_array_get(report->slowest, j);

			group->slowest[slow_count++] = (struct tw_report_slow) {
				.json = json,
				.report = report,
				.at = j,
				.lat_ns = lat_of(json),
			};
		}
	}
	qsort(group->slowest, count, sizeof(*group->slowest), by_lat);
	group->slow_count = most;
	return 0;
}
