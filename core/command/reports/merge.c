/* SPDX-License-Identifier: MIT */
/*
 * Merges the jobs that fio reports as one group into one tally. Adding
 * histograms loses nothing: the merged group equals the report of one job with
 * all their I/Os.
 *
 * A report may lack the name of its run ("run" in its job). Then jobs belong
 * together if they started together and share everything except their thread
 * number. Two runs of one job file have the same thread numbers, so they stay
 * apart.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "command/command.h"
#include "command/reports/by_lat.h"
#include "command/reports/cells.h"
#include "command/reports/devices.h"
#include "command/reports/facts.h"
#include "command/reports/inside.h"
#include "command/reports/merge.h"
#include "command/reports/merge_intervals.h"
#include "command/reports/merge_slowest.h"
#include "command/reports/over_time.h"
#include "command/reports/read.h"
#include "command/reports/response.h"
#include "command/reports/stalls.h"
#include "report/want.h"

/* fio starts the jobs of a group together, but a short job can end before the
 * next one runs. */
#define LET_GO_WITHIN_NS	TW_NS_PER_SECOND

static int by_start(const void *left, const void *right)
{
	const struct tw_report_job *a = &((const struct tw_report *)left)->job;
	const struct tw_report_job *b = &((const struct tw_report *)right)->job;

	if (a->start_ns != b->start_ns)
		return a->start_ns < b->start_ns ? -1 : 1;
	if (a->groupid != b->groupid)
		return a->groupid < b->groupid ? -1 : 1;
	if (a->thread_number != b->thread_number)
		return a->thread_number < b->thread_number ? -1 : 1;
	if (strcmp(a->name, b->name))
		return strcmp(a->name, b->name);
	/* A job's file of intervals comes after its report. */
	return ((const struct tw_report *)left)->is_intervals -
	       ((const struct tw_report *)right)->is_intervals;
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

/* Return the digits of a report; 0: it has no I/Os. */
static unsigned digits_of(const struct tw_report *report)
{
	for (int i = 0; i < TW_REPORT_TIMES && !report->digits; i++)
		for (int j = 0; j < TW_REPORT_DIRECTIONS; j++)
			if (report->tally.times[i][j].bins)
				return report->tally.times[i][j].digits;
	return report->digits;
}

static int same_digits(const struct tw_report_tally *a,
		       const struct tw_report_tally *b)
{
	for (int i = 0; i < TW_REPORT_TIMES; i++)
		for (int j = 0; j < TW_REPORT_DIRECTIONS; j++)
			if (a->times[i][j].bins && b->times[i][j].bins &&
			    a->times[i][j].digits != b->times[i][j].digits)
				return 0;
	return 1;
}

/* Did both jobs run at the same time, or nearly so? @first started first. */
static int together(const struct tw_report_job *first,
		    const struct tw_report_job *second)
{
	uint64_t later_ns = second->start_ns - first->start_ns;

	return later_ns <= LET_GO_WITHIN_NS ||
	       later_ns - LET_GO_WITHIN_NS <= first->run_ns;
}

/*
 * Does the report belong to the members of this group? On each host, a group
 * has one run, and each thread of it once. With @of_hosts, runs of several
 * hosts are merged. They must have run at the same time by the hosts' own
 * clocks.
 */
static int belongs(const struct tw_report_group *group,
		   const struct tw_report *report, int of_hosts)
{
	const struct tw_report_job *job = &report->job;
	int named = job->run[0] != '\0';
	unsigned digits = digits_of(report);
	int near = 0;
	int same;

	/* Each such report numbers its own rings. */
	if (group->members[0]->attached || report->attached)
		return 0;
	if (!same_options(&group->members[0]->job, job) ||
	    (group->digits && digits && group->digits != digits) ||
	    !same_digits(&group->tally, &report->tally))
		return 0;
	/* All members of one host are of the first one's run, so strings are
	 * not compared with every member. */
	same = same_run(&group->members[0]->job, job);
	if (!of_hosts && !same)
		return 0;
	for (size_t i = 0; i < group->size; i++) {
		const struct tw_report_job *member = &group->members[i]->job;

		if (of_hosts)
			same = same_run(member, job);
		if (!same && !strcmp(member->host, job->host))
			return 0;
		if (same && member->thread_number == job->thread_number)
			return 0;
		near |= (same && named) || together(member, job);
	}
	return near;
}

static int add_counts(struct tw_report_tally *into,
		      const struct tw_report_tally *from)
{
	int over = 0;

	for (int i = 0; i < TW_REPORT_COUNTS; i++)
		for (int j = 0; j < TW_REPORT_DIRECTIONS; j++)
			over |= __builtin_add_overflow(into->counts[i][j],
						       from->counts[i][j],
						       &into->counts[i][j]);
	over |= __builtin_add_overflow(into->enters, from->enters,
				       &into->enters);
	over |= __builtin_add_overflow(into->tails, from->tails, &into->tails);
	if (from->largest_tail > into->largest_tail)
		into->largest_tail = from->largest_tail;
	return over;
}

static int add_histogram(struct tw_histogram *into,
			 const struct tw_histogram *from)
{
	int error = 0;

	if (!from->bins)
		return 0;
	if (!into->bins)
		error = tw_histogram_init(into, from->digits);
	return error ? error : tw_histogram_merge(into, from);
}

int tw_report_merge_tally(struct tw_report_tally *into,
			  const struct tw_report_tally *from)
{
	int error = add_counts(into, from) ? -EOVERFLOW : 0;

	for (int i = 0; i < TW_REPORT_TIMES; i++)
		for (int j = 0; j < TW_REPORT_DIRECTIONS && !error; j++)
			error = add_histogram(&into->times[i][j],
					      &from->times[i][j]);
	for (int i = 0; i < TW_REPORT_DIRECTIONS && !error; i++)
		error = tw_report_merge_by_lat(&into->by_lat[i], &from->by_lat[i]);
	into->missing |= from->missing;
	tw_report_merge_schedule(&into->schedule, &from->schedule);
	if (tw_report_merge_inside(&into->inside, &from->inside) ||
	    tw_report_merge_fio_lat(into, from))
		error = -EOVERFLOW;
	return error;
}

static double magnitude(double value)
{
	return value < 0 ? -value : value;
}

/* Is the error of @a larger? If both are equal, as if nothing was seen, the
 * less certain one counts. */
static int is_worse(const struct tw_report_clock *a,
		    const struct tw_report_clock *b)
{
	double by = magnitude(a->error_ppb) - magnitude(b->error_ppb);

	return by > 0 ||
	       (!(by < 0) && a->uncertainty_ppb > b->uncertainty_ppb);
}

static void take_worst_clocks(struct tw_report_group *group,
			      const struct tw_report *report)
{
	for (int i = 0; i < TW_REPORT_CLOCKS; i++) {
		const struct tw_report_clock *clock = &report->clocks[i];

		if (clock->json &&
		    (!group->worst[i] || is_worse(clock, group->worst[i])))
			group->worst[i] = clock;
	}
}

static int has_code(const json_t *reasons, const char *code)
{
	for (size_t i = 0; i < json_array_size(reasons); i++) {
		const json_t *reason = json_array_get(reasons, i);

		if (strcmp(json_string_value(json_object_get(reason, "code")),
			   code) == 0)
			return 1;
	}
	return 0;
}

static int add_reasons(json_t *into, const json_t *from)
{
	for (size_t i = 0; i < json_array_size(from); i++) {
		json_t *reason = json_array_get(from, i);
		json_t *code = json_object_get(reason, "code");

		if (!has_code(into, json_string_value(code)) &&
		    json_array_append(into, reason))
			return -ENOMEM;
	}
	return 0;
}

static int add_member(struct tw_report_group *group,
		      const struct tw_report *report)
{
	int error = tw_report_merge_tally(&group->tally, &report->tally);

	if (!error)
		error = add_reasons(group->reasons, report->reasons);
	if (!error && json_object_update(group->unknown, report->unknown))
		error = -ENOMEM;
	if (error)
		return error;
	group->members[group->size++] = report;
	if (!group->digits)
		group->digits = digits_of(report);
	take_worst_clocks(group, report);
	if (report->verdict > group->verdict)
		group->verdict = report->verdict;
	group->fallbacks += report->fallback != 0;
	group->event_times += report->event_time != 0;
	if (report->job.run_ns > group->run_ns)
		group->run_ns = report->job.run_ns;
	return 0;
}

/* Return the report of the same job of the same process: the file, or a copy of
 * it, was given twice. */
static struct tw_report *twin_of(struct tw_report *reports, size_t i)
{
	const struct tw_report_job *b = &reports[i].job;

	for (size_t j = 0; j < i; j++) {
		const struct tw_report_job *a = &reports[j].job;

		if (a->start_ns == b->start_ns && a->pid == b->pid &&
		    a->thread_number == b->thread_number &&
		    same_run(a, b) && same_options(a, b))
			return &reports[j];
	}
	return NULL;
}

static int new_group(struct tw_report_group *group, size_t most)
{
	group->members = calloc(most, sizeof(*group->members));
	group->reasons = json_array();
	group->unknown = json_object();
	return group->members && group->reasons && group->unknown ? 0 : -ENOMEM;
}

/* Return the first group it belongs to; @count: none. */
static size_t place_of(const struct tw_report_group *groups, size_t count,
		       const struct tw_report *report, int of_hosts)
{
	size_t i = 0;

	while (i < count && !belongs(&groups[i], report, of_hosts))
		i++;
	return i;
}

/* Add a report to the group it belongs to, or to a new one at the end. */
static int place(struct tw_report_group *groups, size_t *used,
		 const struct tw_report *report, size_t most, int of_hosts)
{
	size_t i = place_of(groups, *used, report, of_hosts);
	int error = 0;

	if (i == *used)
		error = new_group(&groups[(*used)++], most);
	return error ? error : add_member(&groups[i], report);
}

/* Join a report with the file of intervals of the same job. Return: 0 if these
 * do not belong together. */
static int join(struct tw_report *report, const struct tw_report *intervals)
{
	if (!intervals->is_intervals || report->is_intervals || report->intervals)
		return 0;
	report->intervals = intervals->path;
	report->interval_ns = intervals->interval_ns;
	report->job.start_monotonic_ns = intervals->job.start_monotonic_ns;
	return 1;
}

static int place_all(struct tw_report_group *groups, size_t *used,
		     struct tw_report *reports, size_t count,
		     int of_hosts, struct tw_report_problem *problem)
{
	for (size_t i = 0; i < count; i++) {
		struct tw_report *twin = twin_of(reports, i);
		int error = 0;

		if (twin && join(twin, &reports[i]))
			continue;
		if (twin)
			tw_report_refuse(problem, "%s: the same job as %s",
					 reports[i].path, twin->path);
		else
			error = place(groups, used, &reports[i], count - i,
				      of_hosts);
		if (error)
			tw_report_refuse(problem, "%s: can't be added to the "
					 "others: %s", reports[i].path,
					 strerror(-error));
		if (problem->text[0])
			return error == -ENOMEM ? TW_EXIT_SOFTWARE :
						  TW_EXIT_DATA;
	}
	return TW_EXIT_GOOD;
}

size_t tw_report_other_hosts(const struct tw_report_group *group)
{
	size_t others = 0;

	/* There are a few hundred hosts at most. Count each at its first
	 * member. */
	for (size_t i = 1; i < group->size; i++) {
		size_t j = 0;

		while (j < i && strcmp(group->members[i]->job.host,
				       group->members[j]->job.host))
			j++;
		others += j == i;
	}
	return others;
}

static int merge_lists(struct tw_report_group *group,
		       struct tw_report_problem *problem)
{
	int error = 0;

	/* A part of the run has nothing but intervals. */
	if (!group->span.is_wanted)
		error = tw_report_merge_slowest(group);
	if (!error)
		error = tw_report_find_stalls(group);
	if (!error && !group->cells)
		error = tw_report_merge_over_time(group);
	if (!error)
		return TW_EXIT_GOOD;
	tw_report_refuse(problem, "%s: can't be added to the others: %s",
			 group->members[0]->path, strerror(-error));
	return error == -ENOMEM ? TW_EXIT_SOFTWARE : TW_EXIT_DATA;
}

int tw_report_merge_span(struct tw_report *reports, size_t count, int of_hosts,
			 const struct tw_report_span *span,
			 struct tw_report_group **groups, size_t *group_count,
			 struct tw_report_problem *problem)
{
	struct tw_report_group *made = calloc(count, sizeof(*made));
	size_t used = 0;
	int code;

	if (!made) {
		tw_report_refuse(problem, "%s", strerror(ENOMEM));
		return TW_EXIT_SOFTWARE;
	}
	qsort(reports, count, sizeof(*reports), by_start);
	code = place_all(made, &used, reports, count, of_hosts, problem);
	for (size_t i = 0; i < used && code == TW_EXIT_GOOD; i++) {
		code = tw_report_merge_intervals(&made[i], span, problem);
		if (code == TW_EXIT_GOOD)
			code = merge_lists(&made[i], problem);
	}
	if (code == TW_EXIT_GOOD)
		code = tw_report_check_span(made, used, problem);
	if (code != TW_EXIT_GOOD) {
		tw_report_groups_free(made, used);
		return code;
	}
	*groups = made;
	*group_count = used;
	return TW_EXIT_GOOD;
}

int tw_report_merge(struct tw_report *reports, size_t count, int of_hosts,
		    struct tw_report_group **groups, size_t *group_count,
		    struct tw_report_problem *problem)
{
	const struct tw_report_span whole = { .to_ns = UINT64_MAX };

	return tw_report_merge_span(reports, count, of_hosts, &whole, groups,
				    group_count, problem);
}

void tw_report_groups_free(struct tw_report_group *groups, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		tw_report_tally_free(&groups[i].tally);
		json_decref(groups[i].reasons);
		json_decref(groups[i].unknown);
		free(groups[i].slowest);
		free(groups[i].stalls);
		free(groups[i].over_time.intervals);
		tw_report_cells_free(groups[i].cells);
		if (groups[i].of_lines)
			tw_report_devices_free(groups[i].of_lines);
		free(groups[i].of_lines);
		free(groups[i].members);
	}
	free(groups);
}

int tw_report_shows_time(const struct tw_report_group *groups, size_t count,
			 int time)
{
	for (size_t i = 0; i < count; i++)
		for (int j = 0; j < TW_REPORT_DIRECTIONS; j++)
			if (groups[i].tally.times[time][j].count)
				return 1;
	return 0;
}

int tw_report_has_rows(const struct tw_report_group *group, int direction)
{
	for (int i = 0; i < TW_REPORT_ROWS; i++)
		if (group->tally.times[i][direction].count)
			return 1;
	return 0;
}

int tw_report_shows_direction(const struct tw_report_group *group,
			      int direction)
{
	const struct tw_report_tally *tally = &group->tally;

	for (int i = TW_REPORT_ERRORS; i < TW_REPORT_COUNTS; i++)
		if (tally->counts[i][direction])
			return 1;
	return tally->counts[TW_REPORT_IOS][direction] ||
	       tw_report_has_rows(group, direction);
}
