/* SPDX-License-Identifier: MIT */
/*
 * Merged reports as a page. The order of the blocks is here, and what is short. The parts
 * of a group are in files of their own:
 *
 *	counter.c		what to know of the counter before its times are believed
 *	why.c			why the slow I/Os were slow, in a sentence
 *	sum.c			lat as the sum of the stages
 *	apart.c			I/Os that are in no stage
 *	inside_text.c		how I/Os were split inside the kernel
 *	response.c		fio's schedule, of a job with a rate
 *	devices.c		the devices, the slowest first
 *	plots.c			the plots
 *	over_time_table.c	the run over time, of files of intervals
 *	slowest.c		the slowest I/Os
 *	trigger_text.c		the kernel's events around a slow I/O
 *	clocks.c		how far off the clocks were
 *	attached.c, attached_table.c	what `tickwise attach` counted
 *
 * What the words mean is at the end of the page. Almost all blocks are for the terminal
 * and for HTML.
 */
#include "command/report/page.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/output/format.h"
#include "command/output/table.h"
#include "command/report/apart.h"
#include "command/reports/attached.h"
#include "command/report/counter.h"
#include "command/report/inside_text.h"
#include "command/reports/merge.h"
#include "command/reports/merge_intervals.h"
#include "command/reports/response.h"
#include "command/report/sum.h"
#include "command/reports/why.h"

static const double percents[] = { 50, 90, 99, 99.9, 99.99 };

#define PERCENTS	(sizeof(percents) / sizeof(*percents))

/* ---- the head of a group ------------------------------------------------- */

static void add_paths(struct tw_page *page, const struct tw_report_group *group)
{
	tw_page_paragraph(page, "from %s", group->members[0]->path);
	for (size_t i = 1; i < group->size; i++)
		tw_page_more(page, " and %s", group->members[i]->path);
	for (size_t i = 0; i < group->size; i++)
		if (group->members[i]->intervals)
			tw_page_more(page, " and %s", group->members[i]->intervals);
}

/* There may be a thousand: HTML folds them. */
static void add_files(struct tw_page *page, const struct tw_report_group *group)
{
	add_paths(page, group);
	tw_page_indent(page, 2, 7);
	tw_page_only(page, TW_IN_TEXT);
	tw_page_details(page, "%zu %s", group->size, group->size == 1 ? "file" : "files");
	add_paths(page, group);
	tw_page_end_details(page);
}

static void add_run(struct tw_page *page, const struct tw_report_group *group)
{
	const struct tw_report_job *job = &group->members[0]->job;
	char run[TW_FORMAT_SIZE];

	if (group->size > 1)
		tw_page_more(page, "%zu jobs merged, ", group->size);
	tw_page_more(page, "group %llu, iodepth %llu, %s, %s, engine %s, host %s",
		     (unsigned long long)job->groupid, (unsigned long long)job->iodepth,
		     tw_format_ns(run, (double)group->run_ns), job->fio_version,
		     job->engine, job->host);
	if (tw_report_other_hosts(group))
		tw_page_more(page, " and %zu more", tw_report_other_hosts(group));
}

/* HTML has the name in the heading above. */
static void add_head(struct tw_page *page, const struct tw_report_group *group,
		     enum tw_media medium)
{
	tw_page_paragraph(page, "%s%s", medium == TW_IN_TEXT ?
			  group->members[0]->job.name : "",
			  medium == TW_IN_TEXT ? ": " : "");
	tw_page_only(page, medium);
	if (tw_report_is_attached(group))
		tw_report_add_attached_head(page, group);
	else
		add_run(page, group);
}

/* What the rest of the page is the evidence for. */
static void add_why(struct tw_page *page, const struct tw_report_group *group)
{
	char text[TW_REPORT_SENTENCE];

	for (int i = 0; i < TW_REPORT_DIRECTIONS; i++)
		if (tw_report_say_why(text, sizeof(text), group, i))
			tw_page_remark(page, "%s", text);
}

/* ---- the stages ---------------------------------------------------------- */

/* A percentile tells something only if at least one I/O lies above it. */
static int has_percentile(const struct tw_histogram *histogram, double percent)
{
	return (double)histogram->count * (100 - percent) >= 99.999999;
}

/* Text has no room for all columns: of a row that is not of every I/O it tells the
 * number below. */
static void add_row(struct tw_table *table, const char *name,
		    const struct tw_histogram *histogram, uint64_t ios)
{
	tw_table_row(table);
	tw_cell_text(table, name);
	tw_cell_u64(table, histogram->count);
	tw_cell_ns(table, (double)histogram->min_ns);
	tw_cell_ns(table, tw_histogram_mean_ns(histogram));
	tw_cell_ns(table, tw_histogram_stddev_ns(histogram));
	for (size_t i = 0; i < PERCENTS; i++)
		if (has_percentile(histogram, percents[i]))
			tw_cell_ns(table, (double)tw_histogram_percentile(histogram,
								percents[i]));
		else
			tw_cell_none(table);
	tw_cell_ns(table, (double)histogram->max_ns);
	if (histogram->count != ios)
		tw_cell_printf(table, "(of %llu)",
			       (unsigned long long)histogram->count);
}

static void add_rows(struct tw_page *page, const struct tw_report_tally *tally,
		     int direction)
{
	struct tw_column columns[] = {
		{ "stage", .width = 10, .flags = TW_COLUMN_LEFT },
		{ "I/Os", .media = TW_IN_HTML },
		{ .heading = "min" }, { .heading = "mean" },
		{ "std. dev.", .media = TW_IN_HTML },
		/* The percents. */
		{ .heading = "" }, { .heading = "" }, { .heading = "" },
		{ .heading = "" }, { .heading = "" },
		{ .heading = "max" },
		{ "", .width = 11, .flags = TW_COLUMN_BELOW, .media = TW_IN_TEXT },
	};
	const size_t count = sizeof(columns) / sizeof(*columns);
	uint64_t ios = tally->counts[TW_REPORT_IOS][direction];
	char names[PERCENTS][16];
	struct tw_table *table;

	for (size_t i = 0; i < PERCENTS; i++) {
		snprintf(names[i], sizeof(names[i]), "p%g", percents[i]);
		columns[5 + i].heading = names[i];
	}
	for (size_t i = 2; i < count - 1; i++) {
		columns[i].width = 7;
		columns[i].flags = TW_COLUMN_NARROW;
	}
	table = tw_page_table(page, columns, count);
	for (int i = 0; i < TW_REPORT_ROWS; i++)
		if (tally->times[i][direction].count)
			add_row(table, tw_report_times[i].name,
				&tally->times[i][direction], ios);
}

/* Per second of the longest job: of the group, not of the device. */
static void add_direction_heading(struct tw_page *page,
				  const struct tw_report_group *group, int direction)
{
	uint64_t ios = group->tally.counts[TW_REPORT_IOS][direction];
	char rate[TW_FORMAT_SIZE];

	tw_page_heading(page, 3, "%s: %llu I/Os", tw_report_directions[direction],
			(unsigned long long)ios);
	if (ios && group->run_ns)
		tw_page_more(page, ", %s/s", tw_format_number(rate, (double)ios * 1e9 /
							      (double)group->run_ns));
}

/* What is said before the table of stages. */
static void add_before_rows(struct tw_page *page, const struct tw_report_group *group,
			    int direction)
{
	const struct tw_report_tally *tally = &group->tally;
	uint64_t empty = tally->counts[TW_REPORT_EMPTY][direction];

	tw_report_add_sum(page, group, direction);
	tw_report_add_call(page, tally, direction);
	if (!tw_report_is_attached(group))
		tw_report_add_apart(page, tally, direction);
	/* They look like fast ones. */
	if (empty)
		tw_page_remark(page, "among these: %llu that moved nothing (the device "
			       "is gone, or the file ends before)",
			       (unsigned long long)empty);
}

static void add_direction(struct tw_page *page, const struct tw_report_group *group,
			  int direction, int with_plots)
{
	if (!tw_report_shows_direction(group, direction))
		return;
	add_direction_heading(page, group, direction);
	add_before_rows(page, group, direction);
	if (!tw_report_has_rows(group, direction))
		return;
	add_rows(page, &group->tally, direction);
	tw_report_add_inside(page, &group->tally, direction);
	tw_report_add_schedule(page, group, direction);
	tw_report_add_over_time(page, group, direction);
	if (with_plots)
		tw_report_add_plots(page, group, direction);
}

/* ---- the rest of a group ------------------------------------------------- */

/* How many I/Os share a stamp: completions seen at once have one. */
static void add_batches(struct tw_page *page, const struct tw_report_tally *tally)
{
	uint64_t requeued = 0;

	if (tally->enters == 0 && tally->tails == 0)
		return;
	tw_page_gap(page);
	tw_page_paragraph(page, "submitted by %llu system calls; completions seen at %llu "
			  "times, up to %llu sharing a stamp",
			  (unsigned long long)tally->enters,
			  (unsigned long long)tally->tails,
			  (unsigned long long)tally->largest_tail);
	for (int i = 0; i < TW_REPORT_DIRECTIONS; i++)
		requeued += tally->counts[TW_REPORT_REQUEUED][i];
	if (requeued)
		tw_page_more(page, "; %llu times fio had to bring an I/O again, as others "
			     "had to come first", (unsigned long long)requeued);
}

/* Of jobs without a rate there is no response time to be missed. */
static unsigned missed_by(const struct tw_report_group *group)
{
	const struct tw_report_tally *tally = &group->tally;

	for (int i = 0; i < TW_REPORT_DIRECTIONS; i++)
		if (tally->times[TW_REPORT_SLIP][i].count ||
		    tally->times[TW_REPORT_RESPONSE][i].count)
			return tally->missing;
	return tally->missing & ~TW_REPORT_NO_RESPONSE;
}

/* What a reader might look for in vain. Nobody looks for what has no name here. */
static void add_missing(struct tw_page *page, const struct tw_report_group *group)
{
	static const char *const names[TW_REPORT_MAY_MISS] = {
		[TW_REPORT_IOS] = "the I/Os themselves",
		[TW_REPORT_REQUEUED] = "I/Os that fio had to bring again",
		[TW_REPORT_EMPTY] = "I/Os that moved nothing",
		[TW_REPORT_ERRORS] = "errors",
		[TW_REPORT_SHORT] = "short I/Os",
		[TW_REPORT_UNACCOUNTED] = "I/Os that fio did not count",
		[TW_REPORT_BACKWARDS] = "stamps that ran backwards",
		/* TW_REPORT_NO_BATCHES and those after it */
		[TW_REPORT_COUNTS] = "batches", "the slowest I/Os",
		"the run over time", "response times",
	};
	const unsigned missed = missed_by(group);
	const char *before = "";

	for (unsigned bit = 0; bit < TW_REPORT_MAY_MISS; bit++) {
		if (!names[bit] || !(missed & (1U << bit)))
			continue;
		if (!*before) {
			tw_page_gap(page);
			tw_page_paragraph(page, "not recorded%s:", group->size == 1 ?
					  "" : " by all of these jobs");
		}
		tw_page_more(page, "%s %s", before, names[bit]);
		before = ",";
	}
}

/* Text has nothing over time. */
static void add_over_time_differs(struct tw_page *page,
				  const struct tw_report_group *group)
{
	if (!group->over_time_differs)
		return;
	tw_page_paragraph(page, "The jobs' intervals over time differ: not shown.");
	tw_page_only(page, TW_IN_HTML);
}

static void add_unknown(struct tw_page *page, const struct tw_report_group *group)
{
	const char *key;
	json_t *value;

	if (json_object_size(group->unknown) == 0)
		return;
	tw_page_paragraph(page, "in the file, but unknown to this version and left out:");
	json_object_foreach(group->unknown, key, value)
		tw_page_more(page, " %s", key);
}

/* What needs an engine, which `tickwise attach` does without. */
static void add_of_engine(struct tw_page *page, const struct tw_report_group *group)
{
	tw_report_add_not_split(page, group);
	tw_report_add_devices(page, group, 1);
	tw_report_add_slowest(page, group);
	if (!group->span.is_wanted)
		tw_report_add_trigger(page, group);
	add_batches(page, &group->tally);
	if (!tw_report_is_of_intervals(group))
		tw_report_add_clocks(page, group);
	if (!tw_report_is_of_intervals(group) && !group->span.is_wanted)
		add_missing(page, group);
	add_over_time_differs(page, group);
}

static void add_of_attach(struct tw_page *page, const struct tw_report_group *group)
{
	tw_report_add_attached(page, group);
	tw_report_add_slowest(page, group);
}

static void add_group(struct tw_page *page, const struct tw_report_group *group,
		      int is_only_one, int with_plots)
{
	const struct tw_report_job *job = &group->members[0]->job;
	int attached = tw_report_is_attached(group);

	tw_page_gap(page);
	if (is_only_one)
		tw_page_heading(page, 2, "%s", job->name);
	else
		tw_page_heading(page, 2, "%s, group %llu of %s", job->name,
				(unsigned long long)job->groupid, job->host);
	tw_page_only(page, TW_IN_HTML);
	if (!attached && (!tw_report_is_of_intervals(group) || group->fallbacks))
		tw_report_add_counter(page, group);
	tw_report_warn_inside(page, group);
	add_head(page, group, TW_IN_TEXT);
	add_head(page, group, TW_IN_HTML);
	if (!attached)
		add_files(page, group);
	tw_report_add_intervals(page, group);
	add_why(page, group);
	for (int i = 0; i < TW_REPORT_DIRECTIONS; i++)
		add_direction(page, group, i, with_plots);
	if (attached)
		add_of_attach(page, group);
	else
		add_of_engine(page, group);
	add_unknown(page, group);
}

/* ---- what the words mean ------------------------------------------------- */

static unsigned fewer_digits(unsigned fewest, const struct tw_histogram *of)
{
	return of->count && (!fewest || of->digits < fewest) ? of->digits :
							       fewest;
}

/* The coarsest of all histograms; 0 when there is none. */
static unsigned fewest_digits(const struct tw_report_group *groups,
			      size_t count)
{
	unsigned fewest = 0;

	for (size_t i = 0; i < count; i++)
		for (int j = 0; j < TW_REPORT_ROWS; j++)
			for (int k = 0; k < TW_REPORT_DIRECTIONS; k++)
				fewest = fewer_digits(fewest,
					&groups[i].tally.times[j][k]);
	return fewest;
}

static void add_legend(struct tw_page *page, const struct tw_report_group *groups,
		       size_t count)
{
	unsigned digits = fewest_digits(groups, count);

	if (digits == 0)
		return;
	tw_page_heading(page, 2, "What the words mean");
	for (int i = 0; i < TW_REPORT_ROWS; i++)
		if (tw_report_shows_time(groups, count, i))
			tw_page_fact(page, tw_report_times[i].name, "%s",
				     tw_report_time_is(groups, count, i));
	tw_page_note(page, "min, mean and max are as stamped; percentiles are at most "
		     "%g %% above; -: too few I/Os, none lies above that percentile",
		     100 / pow(10, digits));
}

static void add_notes(struct tw_page *page)
{
	tw_page_gap(page);
	tw_page_note(page, "Clock errors: plus is fast. CLOCK_MONOTONIC_RAW is the "
		     "kernel's calibration of a crystal, not SI; how far that is off "
		     "can't be seen from inside. NTP may steer CLOCK_MONOTONIC. Such an "
		     "error hardly shows in one I/O (1000 ppb of 100 us are 0.1 ns): "
		     "it matters for run times, rates, and comparisons with other "
		     "tools.");
}

struct tw_page *tw_report_page(const struct tw_report_group *groups, size_t count,
			       int with_plots)
{
	struct tw_page *page = tw_page_new("Latency report");
	int engines = 0;

	if (count > 1) {
		tw_page_contents(page);
		tw_report_add_devices(page, groups, count);
	}
	for (size_t i = 0; i < count; i++) {
		add_group(page, &groups[i], count == 1, with_plots);
		engines |= !tw_report_is_attached(&groups[i]);
	}
	add_legend(page, groups, count);
	if (engines)
		add_notes(page);
	return page;
}
