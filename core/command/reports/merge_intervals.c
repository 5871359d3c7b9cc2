/* SPDX-License-Identifier: MIT */
/*
 * Files of intervals in a group: see merge_intervals.h. Lines are added to the group one
 * by one, so that it takes no more memory for a job of six hours than for a short one.
 */
#include <errno.h>
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
#include "command/reports/want.h"

/* What lines have nothing of. */
#define NOT_IN_LINES	(TW_REPORT_NO_BATCHES | TW_REPORT_NO_SLOWEST | \
			 TW_REPORT_NO_OVER_TIME | TW_REPORT_NO_RESPONSE | \
			 TW_REPORT_NO_FIO_LAT | TW_REPORT_NO_BEYOND)

/* ---- the header as a report ---------------------------------------------- */

/* Which no header knows: the CPUs' counters are compared when the run ends. */
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

/* 0; -ENOMEM: what is wrong is in @problem. */
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

/* The files of a group on their way into it. */
struct adding {
	struct tw_report_group *group;
	const struct tw_report_span *wanted;
	struct tw_report_span shown;
	uint64_t interval_ns;		/* the shortest */
	uint64_t end_ns;		/* when the last line ends */
	/* Of a job: the longest. A start before the others' makes no job longer. */
	uint64_t run_ns;
	int has_lines;
};

/* From the group's start to the member's; by the clock that both have. */
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

/* A line without length is where it begins. */
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

/* The counts of a line, without its histograms. */
static int add_counts(struct tw_report_tally *into, const struct tw_report_tally *line)
{
	struct tw_report_tally counts = { .missing = line->missing };

	memcpy(counts.counts, line->counts, sizeof(counts.counts));
	counts.inside = line->inside;
	return tw_report_merge_tally(into, &counts);
}

static void note_span(struct adding *adding, uint64_t from_ns, uint64_t to_ns)
{
	if (!adding->has_lines || from_ns < adding->shown.from_ns)
		adding->shown.from_ns = from_ns;
	if (to_ns > adding->shown.to_ns)
		adding->shown.to_ns = to_ns;
	adding->has_lines = 1;
}

/* What is known of one file. */
struct own {
	uint64_t begins_ns;		/* since the group's start */
	uint64_t run_ns;		/* how long its lines are that are shown */
	int to_tally;			/* else they are in a report's sums */
};

static int add_line(struct adding *adding, const struct tw_intervals_line *line,
		    struct own *own, uint64_t backwards)
{
	struct tw_report_group *group = adding->group;
	uint64_t from_ns, to_ns;
	int error = 0;

	if (__builtin_add_overflow(line->from_ns, own->begins_ns, &from_ns) ||
	    __builtin_add_overflow(line->to_ns, own->begins_ns, &to_ns))
		return -EOVERFLOW;
	if (to_ns > adding->end_ns)
		adding->end_ns = to_ns;
	if (!is_in(adding->wanted, from_ns, to_ns))
		return 0;
	note_span(adding, from_ns, to_ns);
	own->run_ns += line->to_ns - line->from_ns;
	if (own->to_tally)
		error = add_histograms(&group->tally, line->tally);
	if (own->to_tally && !error)
		error = add_counts(&group->tally, line->tally);
	if (!error && group->cells)
		error = tw_report_cells_add(group->cells, from_ns, to_ns, line->tally,
					    backwards);
	return error;
}

/* What counts from the job's start on, and is known of all of its lines only. */
static void add_health(struct adding *adding, const struct tw_intervals_line *last,
		       int to_tally)
{
	struct tw_report_inside *inside = &adding->group->tally.inside;

	if (to_tally && !adding->wanted->is_wanted && inside->jobs > inside->off)
		inside->negative_within += last->negative_within;
}

/* 0; -errno with @problem. */
static int add_lines(struct adding *adding, struct tw_intervals *intervals,
		     const struct tw_report *member, struct tw_report_problem *problem)
{
	struct own own = {
		.begins_ns = begins_ns(adding->group, member),
		.to_tally = member->is_intervals || adding->wanted->is_wanted,
	};
	struct tw_intervals_line last = { .number = 0 };
	const struct tw_intervals_line *line;
	int ret;

	if (adding->group->cells)
		tw_report_cells_next_job(adding->group->cells);
	while (!(ret = tw_intervals_next(intervals, &line, problem)) && line) {
		/* Only more: from a file that shows less, there is nothing to add. */
		const uint64_t backwards = line->backwards > last.backwards ?
					   line->backwards - last.backwards : 0;

		ret = add_line(adding, line, &own, backwards);
		if (ret) {
			tw_report_refuse(problem, "interval %llu can't be added to the "
					 "others: %s", (unsigned long long)line->number,
					 strerror(-ret));
			return ret;
		}
		last = *line;
	}
	if (ret)
		return ret;
	/* Nothing of what is asked for is missing if that ends before. */
	adding->group->without_end += !last.is_end &&
		adding->wanted->to_ns > last.to_ns + own.begins_ns;
	if (own.to_tally && own.run_ns > adding->run_ns)
		adding->run_ns = own.run_ns;
	add_health(adding, &last, own.to_tally);
	return 0;
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
		ret = add_lines(adding, intervals, member, &in_file);
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

/* The shortest interval, and how many members have a file. */
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

/* The sum of a part of the run is made of lines: what the reports have is not of it. */
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
	char from[TW_FORMAT_SIZE], run[TW_FORMAT_SIZE];

	if (adding->wanted->is_wanted && !adding->has_lines) {
		tw_report_refuse(problem, "%s: no interval at %s: there are %s of the "
				 "job", group->members[0]->path,
				 tw_format_ns(from, (double)adding->wanted->from_ns),
				 tw_format_ns(run, (double)adding->end_ns));
		return TW_EXIT_USAGE;
	}
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

/* The first interval may begin before the span, which is cut to cells like the rest: so
 * no two intervals of a job are in its first cell alone. */
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
