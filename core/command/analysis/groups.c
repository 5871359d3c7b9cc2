/* SPDX-License-Identifier: MIT */
/*
 * Groups the reports of the jobs that fio reports as one group (not a control group), and
 * merges each group into one report. Merging loses nothing: the merged group equals the
 * report of one job with all their I/Os. The jobs of a report that was merged before stay
 * together.
 *
 * A report may lack the name of its run ("run" of its jobs). Then jobs belong
 * together if they started together and share everything except their thread
 * number. Two runs of one job file have the same thread numbers, so they stay
 * apart.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "command/analysis/analysis.h"
#include "command/analysis/interval_files.h"
#include "command/command.h"
#include "command/output/page.h"
#include "latency/histogram_json.h"

/* fio starts the jobs of a group together, but a short job can end before the
 * next one runs. */
#define LET_GO_WITHIN_NS	TW_NS_PER_SECOND

/* ---- which belong together ------------------------------------------------ */

static int by_start(const void *left, const void *right)
{
	const struct tw_report *a = left, *b = right;
	int by = tw_report_compare_jobs(&a->jobs[0], &b->jobs[0]);

	/* A job's file of intervals comes after its report. */
	return by ? by : tw_report_is_header(a) - tw_report_is_header(b);
}

static int same_run(const struct tw_report_job *a,
		    const struct tw_report_job *b)
{
	return strcmp(a->run, b->run) == 0 && strcmp(a->host, b->host) == 0;
}

static int same_options(const struct tw_report_job *a,
			const struct tw_report_job *b)
{
	return strcmp(a->name, b->name) == 0 &&
	       strcmp(a->fio_version, b->fio_version) == 0 &&
	       strcmp(a->engine, b->engine) == 0 &&
	       a->groupid == b->groupid && a->iodepth == b->iodepth;
}

/* Did both jobs run at the same time, or nearly so? */
static int together(const struct tw_report_job *a, const struct tw_report_job *b)
{
	const struct tw_report_job *first = a->start_ns <= b->start_ns ? a : b;
	uint64_t later_ns = (first == a ? b : a)->start_ns - first->start_ns;

	return later_ns <= LET_GO_WITHIN_NS ||
	       later_ns - LET_GO_WITHIN_NS <= first->run_ns;
}

/* Compare a job with a member's. On each host, a group has one run, and each thread of
 * it once. Sets @near if they ran together, as those of a run that several hosts share, whatever
 * their clocks say. Return: 0: they can't be in one group. */
static int can_join(const struct tw_report_job *member, const struct tw_report_job *job,
		    int *near)
{
	const int same = same_run(member, job);

	if (!same && !strcmp(member->host, job->host))
		return 0;
	if (same && member->thread_number == job->thread_number)
		return 0;
	*near |= (job->run[0] && !strcmp(member->run, job->run)) || together(member, job);
	return 1;
}

/*
 * Does the report belong to the members of this group? With @of_hosts, runs of several
 * hosts are merged. They must have run at the same time by the hosts' own clocks.
 */
static int belongs(const struct tw_report_group *group, const struct tw_report *report,
		   int of_hosts)
{
	const struct tw_report *first = group->members[0];
	unsigned digits = tw_report_digits(report);
	int near = 0;

	/* Each such report numbers its own rings. */
	if (first->attached || report->attached)
		return 0;
	if (!same_options(&first->jobs[0], &report->jobs[0]) ||
	    (group->digits && digits && group->digits != digits))
		return 0;
	if (!of_hosts && !same_run(&first->jobs[0], &report->jobs[0]))
		return 0;
	for (size_t i = 0; i < group->member_count; i++)
		for (size_t j = 0; j < group->members[i]->job_count; j++)
			for (size_t k = 0; k < report->job_count; k++)
				if (!can_join(&group->members[i]->jobs[j], &report->jobs[k],
					      &near))
					return 0;
	return near;
}

/* Add a report to the group it belongs to, or to a new one at the end. */
static void place(struct tw_report_group *groups, size_t *used, const struct tw_report *report,
		  size_t most, int of_hosts)
{
	struct tw_report_group *group = groups;

	while (group < groups + *used && !belongs(group, report, of_hosts))
		group++;
	if (group == groups + *used) {
		group->members = tw_zalloc(most, sizeof(*group->members));
		++*used;
	}
	group->members[group->member_count++] = report;
	if (!group->digits)
		group->digits = tw_report_digits(report);
}

/* ---- the same job twice --------------------------------------------------- */

static int compare_jobs(const void *left, const void *right)
{
	return tw_report_compare_jobs(left, right);
}

/* Is this the file of intervals of a job of an earlier report? Then the job gets it. Sets
 * @problem if both are of the same job otherwise. */
static int is_of_earlier(struct tw_report *reports, size_t i,
			 struct tw_report_problem *problem)
{
	const struct tw_report *report = &reports[i];

	for (size_t j = 0; j < i; j++)
		for (size_t k = 0; k < report->job_count; k++) {
			/* The jobs of a report are in order. */
			struct tw_report_job *twin = bsearch(&report->jobs[k],
				reports[j].jobs, reports[j].job_count,
				sizeof(*reports[j].jobs), compare_jobs);

			if (!twin || !same_options(twin, &report->jobs[k]))
				continue;
			if (tw_report_is_header(report) && !twin->intervals &&
			    !tw_report_is_header(&reports[j])) {
				twin->intervals = report->jobs[k].path;
				return 1;
			}
			tw_report_refuse(problem, "%s: the same job as %s",
					 report->jobs[k].path, twin->path);
		}
	return 0;
}

/* ---- merging -------------------------------------------------------------- */

static int add(struct tw_report_group *group, const struct tw_report *report,
	       struct tw_report_problem *problem)
{
	int error = tw_must(tw_report_add(&group->all, report));

	if (error)
		tw_report_refuse(problem, "%s: can't be added to the others: %s",
				 report->jobs[0].path, strerror(-error));
	return error ? TW_EXIT_DATA : TW_EXIT_GOOD;
}

/* Add a report by the lines of its jobs. */
static int add_by_lines(struct tw_report_group *group, const struct tw_report *report,
			struct tw_report_problem *problem)
{
	struct tw_report of;
	int code = (group->is_of_windows ? tw_report_of_windows : tw_report_of_lines)
			(&of, report, group, problem);

	if (code == TW_EXIT_GOOD) {
		code = add(group, &of, problem);
		group->without_report += tw_report_is_header(report) != 0;
	}
	tw_report_free_lines(&of);
	return code;
}

/* Do all jobs have files of intervals? */
static int have_lines(const struct tw_report_group *group)
{
	for (size_t i = 0; i < group->member_count; i++)
		for (size_t j = 0; j < group->members[i]->job_count; j++)
			if (!tw_report_is_header(group->members[i]) &&
			    !group->members[i]->jobs[j].intervals)
				return 0;
	return 1;
}

/* Merge the members of a group. */
static int make_group(struct tw_report_group *group, const struct tw_report_span *span,
		      struct tw_report_problem *problem)
{
	static const struct tw_report_span whole = { .to_ns = UINT64_MAX };
	int code = TW_EXIT_GOOD;

	span = span ? span : &whole;
	group->asked = *span;
	group->is_empty = span->is_wanted;
	group->is_of_windows = span->is_wanted && !have_lines(group);
	for (size_t i = 0; i < group->member_count && code == TW_EXIT_GOOD; i++) {
		const struct tw_report *report = group->members[i];

		if (span->is_wanted || tw_report_is_header(report))
			code = add_by_lines(group, report, problem);
		else
			code = add(group, report, problem);
	}
	if (code != TW_EXIT_GOOD)
		return code;
	group->span.is_wanted = span->is_wanted;
	/* What follows from the jobs. */
	for (size_t i = 0; i < group->all.job_count; i++) {
		const struct tw_report_job *job = &group->all.jobs[i];

		group->fallbacks += job->fallback != 0;
		group->event_times += job->event_time != 0;
		if (job->run_ns > group->run_ns)
			group->run_ns = job->run_ns;
	}
	tw_report_find_stalls(group);
	tw_report_find_steady(group);
	return TW_EXIT_GOOD;
}

/* Do any of the groups have lines of the part of the run that was asked for? Return: an
 * enum tw_exit. */
static int check_span(const struct tw_report_group *groups, size_t count,
		      struct tw_report_problem *problem)
{
	const struct tw_report_group *longest = NULL;

	for (size_t i = 0; i < count; i++) {
		if (!groups[i].is_empty)
			return TW_EXIT_GOOD;
		if (!longest || groups[i].end_ns > longest->end_ns)
			longest = &groups[i];
	}
	if (!longest)
		return TW_EXIT_GOOD;
	tw_report_refuse(problem, "%s: no interval at %s: there are %s of the job",
			 longest->all.jobs[0].path,
			 TW_SAY_NS(longest->asked.from_ns), TW_SAY_NS(longest->end_ns));
	return TW_EXIT_USAGE;
}

/* ---- all ------------------------------------------------------------------ */

int tw_report_merge(struct tw_report *reports, size_t count, int of_hosts,
		    const struct tw_report_span *span, struct tw_report_group **groups,
		    size_t *group_count, struct tw_report_problem *problem)
{
	struct tw_report_group *made = tw_zalloc(count, sizeof(*made));
	size_t used = 0;
	int code;

	qsort(reports, count, sizeof(*reports), by_start);
	for (size_t i = 0; i < count && !problem->text[0]; i++)
		if (!is_of_earlier(reports, i, problem) && !problem->text[0])
			place(made, &used, &reports[i], count - i, of_hosts);
	code = problem->text[0] ? TW_EXIT_DATA : TW_EXIT_GOOD;
	for (size_t i = 0; i < used && code == TW_EXIT_GOOD; i++)
		code = make_group(&made[i], span, problem);
	if (code == TW_EXIT_GOOD)
		code = check_span(made, used, problem);
	if (code != TW_EXIT_GOOD) {
		tw_report_groups_free(made, used);
		return code;
	}
	*groups = made;
	*group_count = used;
	return TW_EXIT_GOOD;
}

void tw_report_groups_free(struct tw_report_group *groups, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		tw_report_free(&groups[i].all);
		free(groups[i].stalls);
		free(groups[i].members);
	}
	free(groups);
}

/* ---- JSON ---------------------------------------------------------------- */

/* Return how far off the mean and the percentiles of a stage can be. */
static json_t *estimate_to_json(const struct tw_tally *tally, unsigned stage, int direction)
{
	static const double percents[] = { 50, 90, 99, 99.9, 99.99 };
	json_t *bounds = json_object();

	for (size_t i = 0; i < TW_LENGTH(percents); i++) {
		uint64_t of[2];

		if (tw_tally_stage_percentile(tally, stage, direction, percents[i], of))
			json_object_set_new(bounds, tw_format("p%g", percents[i]), json_pack(
				"[o, o]", tw_json_of_u64(of[0]), tw_json_of_u64(of[1])));
	}
	return json_pack("{sf, so}",
		"error_ns", tw_tally_stage_error_ns(tally, stage, direction) /
			    (double)tally->times[TW_LAT][direction].count,
		"percentiles", bounds);
}

/* Return the estimates of stages where only some I/Os were split; NULL: there are none. */
static json_t *estimates_to_json(const struct tw_tally *tally)
{
	json_t *object = NULL;

	for (int i = 0; i < TW_DIRECTIONS; i++)
		for (unsigned stage = 0; stage < TW_TIMES; stage++) {
			if (!tw_tally_is_estimate(tally, stage, i) ||
			    !tally->times[stage][i].count)
				continue;
			object = object ? object : json_object();
			if (!json_object_get(object, tw_direction_names[i]))
				json_object_set_new(object, tw_direction_names[i],
						    json_object());
			json_object_set_new(json_object_get(object, tw_direction_names[i]),
					    tw_time_metrics[stage].name,
					    estimate_to_json(tally, stage, i));
		}
	return object;
}

json_t *tw_report_groups_to_json(const struct tw_report_group *groups,
				 size_t count)
{
	json_t *list = json_array();

	for (size_t i = 0; i < count; i++) {
		const struct tw_report_group *group = &groups[i];
		json_t *report = tw_report_to_json(&group->all);
		json_t *answers = json_pack("{s:o*, s:o*, s:o, s:o*, s:o, s:o*}",
			"steady", tw_report_steady_to_json(group),
			"limit", tw_report_limit_to_json(group),
			"tail", tw_report_tail_to_json(group),
			"estimates", estimates_to_json(&group->all.tally),
			"stalls", tw_report_stalls_to_json(group),
			"odd", tw_odd_to_json(groups, count, i));

		if (group->is_empty)
			json_object_set_new(answers, "span", json_null());
		else if (group->span.is_wanted)
			json_object_set_new(answers, "span", json_pack("{s:o, s:o}",
				"from_ns", tw_json_of_u64(group->span.from_ns),
				"to_ns", tw_json_of_u64(group->span.to_ns)));
		json_object_set_new(report, "analysis", answers);
		json_array_append_new(list, report);
	}
	return list;
}

/* ---- fio's time ---------------------------------------------------------- */

#define OTHER_PART	0.1	/* a difference that is told */

double tw_report_fio_run_ns(const struct tw_report_group *group, int direction)
{
	double ns = 0;

	for (size_t i = 0; i < group->all.job_count; i++)
		ns = fmax(ns, (double)tw_report_u64(json_object_get(group->all.jobs[i].json,
							"fio_run_ns"),
						    tw_direction_names[direction]));
	return ns;
}

/* Of a part of the run, fio tells nothing. */
int tw_report_has_fio_rate(const struct tw_report_group *group, int direction)
{
	const struct tw_counts *counts = &group->all.tally.counts[direction];
	const double run_ns = (double)group->run_ns;
	const double fio_ns = tw_report_fio_run_ns(group, direction);

	return tw_has(&group->all.tally, TW_METRIC_fio_ios) && fio_ns > 0 &&
	       (fabs(fio_ns - run_ns) > OTHER_PART * run_ns ||
		(double)counts->errors > OTHER_PART * (double)(counts->ios + counts->errors));
}
