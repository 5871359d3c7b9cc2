/* SPDX-License-Identifier: MIT */
/*
 * The slowest I/Os in the reports of a group, merged.
 */
#include <errno.h>
#include <stdlib.h>

#include "command/report/report.h"

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

/* As many as one job kept: these are the slowest of all. Of what comes after
 * them, others may be slower that their jobs did not keep. */
int tw_report_merge_slowest(struct tw_report_group *group)
{
	size_t count = 0, most = 0;

	for (size_t i = 0; i < group->size; i++) {
		size_t kept = group->members[i]->slowest.count;

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
		const struct tw_report_slow_list *all =
			&group->members[i]->slowest;

		for (size_t j = 0; j < all->count; j++)
			group->slowest[group->slow_count++] =
				(struct tw_report_slow) {
					.report = group->members[i],
					.at = j,
					.total_ns = all->ios[j].total_ns,
				};
	}
	qsort(group->slowest, count, sizeof(*group->slowest), by_total);
	group->slow_count = most;
	for (size_t i = 0; i < most; i++) {
		struct tw_report_slow *slow = &group->slowest[i];

		slow->json = tw_report_slow_json(
			&slow->report->slowest.ios[slow->at]);
		if (!slow->json)
			return -ENOMEM;
	}
	return 0;
}
