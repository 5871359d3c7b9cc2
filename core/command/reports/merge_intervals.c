/* SPDX-License-Identifier: MIT */
/*
 * Adds files of intervals to a group: see merge_intervals.h. Lines are added
 * one by one. So a job of six hours takes no more memory than a short one.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "command/command.h"
#include "command/output/format.h"
#include "command/reports/cells.h"
#include "command/reports/devices.h"
#include "command/reports/facts.h"
#include "command/reports/inside.h"
#include "command/reports/intervals.h"
#include "command/reports/merge.h"
#include "command/reports/merge_intervals.h"
#include "command/reports/read.h"
#include "report/want.h"

/* Number of windows of a job, which give the means of its device in parts of
 * the run. */
#define MAX_WINDOWS	128

/* What lines do not have. */
#define NOT_IN_LINES	(TW_REPORT_NO_BATCHES | TW_REPORT_NO_SLOWEST | \
			 TW_REPORT_NO_OVER_TIME | TW_REPORT_NO_RESPONSE | \
			 TW_REPORT_NO_FIO_LAT | TW_REPORT_NO_BEYOND)

/* ---- the header as a report ---------------------------------------------- */

/* Return the reason why a header has no verdict: the CPUs' counters are
 * compared when the run ends. */
static json_t *no_verdict(void)
{
	return json_pack("[{s:s, s:s}]", "code", "intervals", "text",
			 "a file of intervals has no verdict, as it is written "
			 "while the job runs");
}

static void read_state(struct tw_report *report, struct tw_report_problem *problem)
{
	const json_t *counter = tw_want_object(report->root, "", "counter", problem);
	const json_t *times = tw_want_object(report->root, "", "fio_times", problem);

	report->fallback = tw_want_boolean(counter, "counter.", "fallback", problem);
	report->event_time = tw_want_boolean(times, "fio_times.", "event_time", problem);
}

/* Make a report of a header. Sets @problem if it is wrong. Return: 0;
 * -ENOMEM. */
static int take_header(struct tw_report *report, const struct tw_intervals_header *header,
		       struct tw_report_problem *problem)
{
	report->is_intervals = 1;
	report->root = json_incref((json_t *)header->json);
	report->unknown = json_object();
	report->reasons = no_verdict();
	if (!report->unknown || !report->reasons ||
	    json_object_set_new(report->root, "reasons", report->reasons))
		return -ENOMEM;
	report->verdict = TW_REPORT_UNCHECKED;
	report->job = header->job;
	report->job.start_monotonic_ns = header->monotonic_ns;
	report->interval_ns = header->interval_ns;
	report->digits = header->digits;
	report->tally.missing = NOT_IN_LINES;
	read_state(report, problem);
	tw_report_read_facts(report, problem);
	return tw_report_read_inside(report, problem) ||
	       tw_report_read_devices(report, problem) ? -ENOMEM : 0;
}

int tw_report_read_header(struct tw_report *report, const char *path,
			  struct tw_report_problem *problem)
{
	struct tw_report_problem in_header = { "" };
	struct tw_intervals *intervals;
	int ret;

	*report = (struct tw_report) { .path = path };
	ret = tw_intervals_open(&intervals, path, problem);
	if (ret)
		return tw_intervals_exit(ret);
	ret = take_header(report, tw_intervals_header(intervals), &in_header);
	tw_intervals_close(intervals);
	if (ret)
		tw_report_refuse(problem, "%s", strerror(-ret));
	if (in_header.text[0])
		tw_report_refuse(problem, "line 1: %s", in_header.text);
	if (!ret && in_header.text[0])
		ret = -EINVAL;
	return tw_intervals_exit(ret);
}

/* ---- lines --------------------------------------------------------------- */

/* The files of a group while they are added. */
struct adding {
	struct tw_report_group *group;
	const struct tw_report_span *wanted;
	struct tw_report_span shown;
	uint64_t interval_ns;		/* the shortest interval */
	uint64_t end_ns;		/* the end of the last line */
	/* The longest of a job. Jobs that start at different times do not add
	 * up. */
	uint64_t run_ns;
	int has_lines;
};

/* Return the time from the group's start to the member's start, by a clock that
 * both have. */
static uint64_t begins_ns(const struct tw_report_group *group,
			  const struct tw_report *member)
{
	const struct tw_report_job *first = &group->members[0]->job;
	const struct tw_report_job *job = &member->job;
	uint64_t from_ns = first->start_ns, to_ns = job->start_ns;

	if (first->start_monotonic_ns && job->start_monotonic_ns &&
	    strcmp(first->host, job->host) == 0) {
		from_ns = first->start_monotonic_ns;
		to_ns = job->start_monotonic_ns;
	}
	return to_ns > from_ns ? to_ns - from_ns : 0;
}

/* Is a line in the span? A line without length is at its begin. */
static int is_in(const struct tw_report_span *span, uint64_t from_ns, uint64_t to_ns)
{
	return from_ns < span->to_ns &&
	       (to_ns > span->from_ns || from_ns == span->from_ns);
}

static int add_histograms(struct tw_report_tally *into,
			  const struct tw_report_tally *line)
{
	int error = 0;

	for (int i = 0; i < TW_REPORT_TIMES; i++)
		for (int j = 0; j < TW_REPORT_DIRECTIONS && !error; j++)
			error = tw_intervals_add(&into->times[i][j],
						 &line->times[i][j]);
	return error;
}

/* Add the counts of a line, without its histograms. */
static int add_counts(struct tw_report_tally *into, const struct tw_report_tally *line)
{
	struct tw_report_tally counts = { .missing = line->missing };

	memcpy(counts.counts, line->counts, sizeof(counts.counts));
	counts.inside = line->inside;
	return tw_report_merge_tally(into, &counts);
}

static int add_health(struct tw_report_inside *inside,
		      const struct tw_intervals_line *line)
{
	/* Stages that are too short for the clock count only in jobs that split
	 * I/Os. */
	if (inside->jobs <= inside->off)
		return 0;
	return __builtin_add_overflow(inside->negative_within, line->negative_within,
				      &inside->negative_within) ? -EOVERFLOW : 0;
}

static void note_span(struct adding *adding, uint64_t from_ns, uint64_t to_ns)
{
	if (!adding->has_lines || from_ns < adding->shown.from_ns)
		adding->shown.from_ns = from_ns;
	if (to_ns > adding->shown.to_ns)
		adding->shown.to_ns = to_ns;
	adding->has_lines = 1;
}

/* The data of one file. */
struct own {
	uint64_t begins_ns;		/* the job's begin since the group's start */
	uint64_t run_ns;		/* time for which I/Os ran in the lines shown */
	int has_begun;
	int to_tally;			/* 1: add to the tally; 0: a report's
					 * sums have them */
	/* 1: the job has one device, so lines are the device's. */
	int is_of_device;
	struct tw_report_tally device;	/* only lat and device */
	struct tw_report_interval windows[MAX_WINDOWS];
	size_t window_count;
	size_t lines_a_window, lines_of_last;
};

static void add_window_to(struct tw_report_interval *into,
			  const struct tw_report_interval *from)
{
	into->over_ns = from->from_ns + from->over_ns - into->from_ns;
	for (int i = 0; i < TW_REPORT_DIRECTIONS; i++) {
		into->of[i].count += from->of[i].count;
		into->of[i].sum_ns += from->of[i].sum_ns;
	}
}

/* Join each two windows. */
static void widen_windows(struct own *own)
{
	for (size_t i = 0; i < MAX_WINDOWS / 2; i++) {
		own->windows[i] = own->windows[2 * i];
		add_window_to(&own->windows[i], &own->windows[2 * i + 1]);
	}
	own->window_count = MAX_WINDOWS / 2;
	own->lines_a_window *= 2;
}

/* Add a window. The sums fit, as those of the group do. */
static void add_window(struct own *own, const struct tw_intervals_line *line)
{
	struct tw_report_interval window = {
		.from_ns = line->from_ns, .over_ns = line->to_ns - line->from_ns,
	};

	for (int i = 0; i < TW_REPORT_DIRECTIONS; i++) {
		window.of[i].count = line->tally->times[TW_REPORT_LAT][i].count;
		window.of[i].sum_ns = line->tally->times[TW_REPORT_LAT][i].sum_ns;
	}
	if (own->window_count && own->lines_of_last < own->lines_a_window) {
		add_window_to(&own->windows[own->window_count - 1], &window);
		own->lines_of_last++;
		return;
	}
	if (own->window_count == MAX_WINDOWS)
		widen_windows(own);
	own->windows[own->window_count++] = window;
	own->lines_of_last = 1;
}

static int add_to_device(struct own *own, const struct tw_intervals_line *line)
{
	static const int times[] = { TW_REPORT_LAT, TW_DEVICE };
	int error = 0;

	for (size_t i = 0; i < sizeof(times) / sizeof(*times); i++)
		for (int j = 0; j < TW_REPORT_DIRECTIONS && !error; j++)
			error = tw_intervals_add(&own->device.times[times[i]][j],
						 &line->tally->times[times[i]][j]);
	add_window(own, line);
	return error;
}

static int add_line(struct adding *adding, const struct tw_intervals_line *line,
		    struct own *own)
{
	struct tw_report_group *group = adding->group;
	uint64_t from_ns, to_ns;
	int error = 0;

	if (__builtin_add_overflow(line->from_ns, own->begins_ns, &from_ns) ||
	    __builtin_add_overflow(line->to_ns, own->begins_ns, &to_ns))
		return -EOVERFLOW;
	if (!is_in(adding->wanted, from_ns, to_ns))
		return 0;
	note_span(adding, from_ns, to_ns);
	/* Leave out the ramp time. */
	if (line->has_begun && !own->has_begun)
		own->run_ns = 0;
	own->has_begun |= line->has_begun;
	own->run_ns += line->ran_ns;
	if (own->to_tally)
		error = add_histograms(&group->tally, line->tally);
	if (own->to_tally && !error)
		error = add_counts(&group->tally, line->tally);
	if (own->is_of_device && !error)
		error = add_to_device(own, line);
	if (own->to_tally && !error)
		error = add_health(&group->tally.inside, line);
	if (!error && group->cells)
		error = tw_report_cells_add(group->cells, from_ns, to_ns, line->ran_ns,
					    line->tally, line->backwards);
	return error;
}

/* Extend the end of the group. Lines that were left out count, too. */
static void note_end(struct adding *adding, uint64_t reach_ns, uint64_t begins_ns)
{
	uint64_t end_ns;

	if (__builtin_add_overflow(reach_ns, begins_ns, &end_ns))
		end_ns = UINT64_MAX;
	if (end_ns > adding->end_ns)
		adding->end_ns = end_ns;
}

/* Add the lines of a file. Return: 0; -errno with @problem. */
static int add_lines(struct adding *adding, struct tw_intervals *intervals,
		     struct own *own, struct tw_report_problem *problem)
{
	const uint64_t from_ns = adding->wanted->from_ns, to_ns = adding->wanted->to_ns;
	const uint64_t until_ns = to_ns > own->begins_ns ? to_ns - own->begins_ns : 0;
	int is_end = 0;
	const struct tw_intervals_line *line;
	int ret;

	if (adding->group->cells)
		tw_report_cells_next_job(adding->group->cells);
	if (from_ns > own->begins_ns)
		tw_intervals_skip_to(intervals, from_ns - own->begins_ns);
	while (!(ret = tw_intervals_next(intervals, &line, problem)) && line) {
		/* The lines after it are later. */
		if (line->from_ns >= until_ns)
			break;
		ret = add_line(adding, line, own);
		if (ret) {
			tw_report_refuse(problem, "interval %llu can't be added to the "
					 "others: %s", (unsigned long long)line->number,
					 strerror(-ret));
			return ret;
		}
		is_end = line->is_end;
	}
	if (ret)
		return ret;
	/* Without the end of the job, lines of the wanted part can be missing.
	 * This is not so if the part ends before the last line. */
	adding->group->without_end += !is_end &&
				      until_ns > tw_intervals_reach_ns(intervals);
	note_end(adding, tw_intervals_reach_ns(intervals), own->begins_ns);
	if (own->to_tally && own->run_ns > adding->run_ns)
		adding->run_ns = own->run_ns;
	return 0;
}

/* Add the lines to the devices. Return: 0; -errno with @problem. */
static int add_devices(struct adding *adding, const struct own *own,
		       const struct tw_report *member, struct tw_report_problem *problem)
{
	const struct tw_report_over_time windows = {
		.intervals = (struct tw_report_interval *)own->windows,
		.count = own->window_count,
	};
	struct tw_report_group *group = adding->group;
	int error;

	if (!own->to_tally)
		return 0;
	if (!group->of_lines)
		group->of_lines = calloc(1, sizeof(*group->of_lines));
	error = group->of_lines ? tw_report_devices_add_lines(group->of_lines, member,
					&own->device, &windows) : -ENOMEM;
	if (error)
		tw_report_refuse(problem, "its device can't be added to the others: %s",
				 strerror(-error));
	return error;
}

static int add_member(struct adding *adding, struct tw_intervals *intervals,
		      const struct tw_report *member, struct tw_report_problem *problem)
{
	struct own *own = calloc(1, sizeof(*own));
	int ret;

	if (!own) {
		tw_report_refuse(problem, "%s", strerror(ENOMEM));
		return -ENOMEM;
	}
	own->begins_ns = begins_ns(adding->group, member);
	own->to_tally = member->is_intervals || adding->wanted->is_wanted;
	own->is_of_device = own->to_tally && member->devices &&
			    member->devices->count == 1;
	own->lines_a_window = 1;
	ret = add_lines(adding, intervals, own, problem);
	if (!ret)
		ret = add_devices(adding, own, member, problem);
	tw_report_tally_free(&own->device);
	free(own);
	return ret;
}

static int add_file(struct adding *adding, const struct tw_report *member,
		    struct tw_report_problem *problem)
{
	const char *path = member->is_intervals ? member->path : member->intervals;
	struct tw_report_problem in_file = { "" };
	struct tw_intervals *intervals;
	int ret;

	if (!path)
		return 0;
	ret = tw_intervals_open(&intervals, path, &in_file);
	if (!ret)
		ret = add_member(adding, intervals, member, &in_file);
	if (!ret && json_object_update(adding->group->unknown,
				       tw_intervals_unknown(intervals))) {
		tw_report_refuse(&in_file, "%s", strerror(ENOMEM));
		ret = -ENOMEM;
	}
	tw_intervals_close(intervals);
	if (ret)
		tw_report_refuse(problem, "%s: %s", path, in_file.text);
	return ret == -EOVERFLOW ? -EINVAL : ret;
}

/* ---- the group ----------------------------------------------------------- */

int tw_report_is_of_intervals(const struct tw_report_group *group)
{
	return group->without_report == group->size;
}

/* Return the number of members that have a file, and find the shortest
 * interval. */
static size_t count_files(struct tw_report_group *group, uint64_t *interval_ns)
{
	size_t files = 0;

	for (size_t i = 0; i < group->size; i++) {
		const struct tw_report *member = group->members[i];

		if (!member->is_intervals && !member->intervals)
			continue;
		group->without_report += member->is_intervals != 0;
		if (!files++ || member->interval_ns < *interval_ns)
			*interval_ns = member->interval_ns;
	}
	return files;
}

/* Clear the sums of the reports: the sum of a part of the run consists of lines
 * only. */
static void forget_sums(struct tw_report_tally *tally)
{
	struct tw_report_inside inside = tally->inside;

	tw_report_tally_free(tally);
	memset(inside.split, 0, sizeof(inside.split));
	memset(inside.unsplit, 0, sizeof(inside.unsplit));
	inside.negative_within = inside.negative_beyond = 0;
	inside.requests = inside.retries = 0;
	*tally = (struct tw_report_tally) { .missing = NOT_IN_LINES, .inside = inside };
}

static int refuse_span(const struct tw_report_group *group,
		       struct tw_report_problem *problem)
{
	for (size_t i = 0; i < group->size; i++) {
		const struct tw_report *member = group->members[i];

		if (!member->is_intervals && !member->intervals)
			tw_report_refuse(problem, "%s: a part of the run needs the "
					 "job's file of intervals, too: its name ends "
					 "with .intervals.jsonl, and the engine's option "
					 "tw_interval makes it", member->path);
	}
	return TW_EXIT_USAGE;
}

static int finish(struct adding *adding, struct tw_report_problem *problem)
{
	struct tw_report_group *group = adding->group;

	group->is_empty = adding->wanted->is_wanted && !adding->has_lines;
	group->end_ns = adding->end_ns;
	/* The writer reads one histogram after the other while the job runs. */
	group->tally.is_torn = adding->wanted->is_wanted || group->without_end;
	group->span = adding->shown;
	group->span.is_wanted = adding->wanted->is_wanted;
	group->asked = *adding->wanted;
	if (group->span.is_wanted)
		group->run_ns = adding->run_ns;
	else if (group->without_report && adding->run_ns > group->run_ns)
		group->run_ns = adding->run_ns;
	if (group->cells && tw_report_cells_over_time(group->cells, &group->over_time)) {
		tw_report_refuse(problem, "%s", strerror(ENOMEM));
		return TW_EXIT_SOFTWARE;
	}
	if (group->cells)
		group->tally.missing &= ~TW_REPORT_NO_OVER_TIME;
	return TW_EXIT_GOOD;
}

int tw_report_check_span(const struct tw_report_group *groups, size_t count,
			 struct tw_report_problem *problem)
{
	const struct tw_report_group *longest = NULL;
	char from[TW_FORMAT_SIZE], end[TW_FORMAT_SIZE];

	for (size_t i = 0; i < count; i++) {
		if (!groups[i].is_empty)
			return TW_EXIT_GOOD;
		if (!longest || groups[i].end_ns > longest->end_ns)
			longest = &groups[i];
	}
	if (!longest)
		return TW_EXIT_GOOD;
	tw_report_refuse(problem, "%s: no interval at %s: there are %s of the job",
			 longest->members[0]->path,
			 tw_format_ns(from, (double)longest->asked.from_ns),
			 tw_format_ns(end, (double)longest->end_ns));
	return TW_EXIT_USAGE;
}

/* Return where the cells begin: one interval before the span, since the first
 * interval can begin before it. Else this interval and the next would share the
 * first cell. */
static uint64_t origin_of(const struct tw_report_span *span, uint64_t interval_ns)
{
	return span->from_ns > interval_ns ? span->from_ns - interval_ns : 0;
}

int tw_report_merge_intervals(struct tw_report_group *group,
			      const struct tw_report_span *span,
			      struct tw_report_problem *problem)
{
	struct adding adding = { .group = group, .wanted = span };
	const size_t files = count_files(group, &adding.interval_ns);

	if (span->is_wanted && files < group->size)
		return refuse_span(group, problem);
	if (!files)
		return TW_EXIT_GOOD;
	if (files == group->size) {
		group->cells = tw_report_cells_new(origin_of(span, adding.interval_ns),
						   adding.interval_ns);
		if (!group->cells) {
			tw_report_refuse(problem, "%s", strerror(ENOMEM));
			return TW_EXIT_SOFTWARE;
		}
	}
	if (span->is_wanted)
		forget_sums(&group->tally);
	for (size_t i = 0; i < group->size; i++) {
		const int ret = add_file(&adding, group->members[i], problem);

		if (ret)
			return tw_intervals_exit(ret);
	}
	return finish(&adding, problem);
}
