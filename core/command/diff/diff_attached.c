/* SPDX-License-Identifier: MIT */
/*
 * Makes groups of the operations in reports of tickwise attach: each operation on a file, over
 * all rings, is compared as a job is. The reports number their rings by chance.
 */
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "command/command.h"
#include "command/diff/diff.h"
#include "latency/histogram_json.h"
#include "report/report_json.h"

int tw_diff_is_operation(const struct tw_report_group *group)
{
	return !group->all.attached && tw_diff_is_attached(&group->all.jobs[0]);
}

int tw_diff_is_attached(const struct tw_report_job *job)
{
	return strcmp(job->engine, "attach") == 0;
}

/* Read what is counted of an operation. What the whole report has and this lacks is 0. */
static struct tw_tally read_operation(const json_t *json, const struct tw_tally *whole,
				      int direction)
{
	const json_t *stages = json_object_get(json, "stages"), *stage;
	struct tw_tally tally = { .scalars.every = whole->scalars.every };
	const char *wrong;

	for (unsigned i = 0; i < TW_COUNTS; i++)
		if (tw_has(whole, i)) {
			tw_metric_put(&tally.has, i);
			*tw_count_at(&tally.counts[direction], i) =
				tw_report_u64(json, tw_metric_key(tw_count_metrics[i].path));
		}
	for (unsigned i = 0; i < TW_TIMES; i++) {
		stage = json_object_get(stages, tw_time_metrics[i].name);
		if (stage || tw_has(whole, TW_METRIC_TIMES + i))
			tw_metric_put(&tally.has, TW_METRIC_TIMES + i);
		/* The reader of the report has checked it. */
		if (stage)
			tw_must(tw_histogram_from_json(&tally.times[i][direction], stage, &wrong));
	}
	return tally;
}

/* Return the group of an operation that another ring of the same report has, or a new one. */
static struct tw_report_group *group_of(struct tw_diff_groups *groups, size_t first, size_t whole,
					const char *name)
{
	const struct tw_report_group *of;
	struct tw_report_group *group;

	for (size_t i = first; i < groups->count; i++)
		if (!strcmp(groups->list[i].all.jobs[0].name, name))
			return &groups->list[i];
	group = &groups->list[groups->count++];
	of = &groups->list[whole];
	*group = (struct tw_report_group) { .run_ns = of->run_ns, .fallbacks = of->fallbacks };
	group->all.jobs = tw_zalloc(1, sizeof(*group->all.jobs));
	group->all.job_count = 1;
	group->all.jobs[0] = of->all.jobs[0];
	group->all.jobs[0].name = name;
	json_incref(group->all.jobs[0].json);
	json_incref(group->all.jobs[0].common);
	return group;
}

static int add_operations(struct tw_diff_groups *groups, size_t whole)
{
	json_t *list = json_object_get(groups->list[whole].all.attached, "operations"), *json;
	const size_t first = groups->count;
	int error = 0;
	size_t i;

	json_array_foreach(list, i, json) {
		const char *operation = tw_report_string(json, "operation");
		const int direction = tw_direction_of_operation(operation);
		struct tw_report_group *group;
		struct tw_tally tally;

		if (direction == TW_DIRECTIONS || error)
			continue;
		group = group_of(groups, first, whole, tw_format(
				 "%s %s", operation, tw_report_string(json, "file")));
		tally = read_operation(json, &groups->list[whole].all.tally, direction);
		error = tw_must(tw_tally_merge(&group->all.tally, &tally));
		tw_tally_free(&tally);
	}
	return error;
}

int tw_diff_add_operations(struct tw_diff *diff, struct tw_report_problem *problem)
{
	size_t most = 0;

	for (int side = 0; side < TW_DIFF_SIDES; side++)
		for (size_t i = 0; i < diff->groups[side].count; i++) {
			const struct tw_report *all = &diff->groups[side].list[i].all;
			const struct tw_report *first = &diff->groups[TW_DIFF_A].list[0].all;
			const size_t count = json_array_size(
				json_object_get(all->attached, "operations"));

			most = count > most ? count : most;
			if (tw_diff_is_attached(&all->jobs[0]) ==
			    tw_diff_is_attached(&first->jobs[0]))
				continue;
			tw_report_refuse(problem, "%s and %s: one is of tickwise attach, the "
					 "other of the fio engine, whose latency has more stages. "
					 "Compare two of a kind", first->jobs[0].path,
					 all->jobs[0].path);
			return TW_EXIT_DATA;
		}
	/* A single one is the whole report. */
	for (int side = 0; side < TW_DIFF_SIDES && most > 1; side++) {
		const size_t count = diff->groups[side].count;
		struct tw_report_group *list = tw_zalloc(count * (1 + most), sizeof(*list));

		memcpy(list, diff->groups[side].list, count * sizeof(*list));
		free(diff->groups[side].list);
		diff->groups[side].list = list;
		for (size_t i = 0; i < count; i++)
			if (add_operations(&diff->groups[side], i)) {
				tw_report_refuse(problem, "%s: its operations don't add up",
						 diff->groups[side].list[i].all.jobs[0].path);
				return TW_EXIT_DATA;
			}
	}
	return TW_EXIT_GOOD;
}
