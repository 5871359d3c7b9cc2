/* SPDX-License-Identifier: MIT */
/*
 * Merged reports as a page for people: per group what was done, the stages of
 * its I/Os, the slowest of them (slowest.c), and how far off the clocks
 * were (clocks.c); what the words mean at the end.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/output/format.h"
#include "command/report/attached.h"

static const double percents[] = { 50, 90, 99, 99.9, 99.99 };

#define PERCENTS	(sizeof(percents) / sizeof(*percents))

/* ---- the head of a group ------------------------------------------------- */

static void print_counter(const struct tw_report_group *group)
{
	struct tw_paragraph line = { .indent = 2 };
	char *text = tw_report_counter_text(group);

	if (!text)
		return;
	tw_paragraph_add(&line, tw_report_counter_warns(group) ? "WARNING:" :
								 "Note:");
	tw_paragraph_add(&line, text);
	tw_paragraph_end(&line);
	free(text);
}

static void print_inside_warning(const struct tw_report_group *group)
{
	struct tw_paragraph line = { .indent = 2 };
	char text[TW_REPORT_SENTENCE];

	if (!tw_report_warn_inside(text, sizeof(text), group))
		return;
	tw_paragraph_add(&line, "WARNING:");
	tw_paragraph_add(&line, text);
	tw_paragraph_end(&line);
}

/* Of `tickwise attach`. */
static void print_attached_head(const struct tw_report_group *group)
{
	const struct tw_report_job *job = &group->members[0]->job;
	struct tw_paragraph line = { .indent = 2 };
	char text[TW_REPORT_SENTENCE];

	tw_paragraph_printf(&line, "%s:", job->name);
	tw_paragraph_printf(&line, "%s on host %s,",
			    tw_format_ns(text, (double)group->run_ns), job->host);
	tw_report_say_attached(text, sizeof(text), group);
	tw_paragraph_add(&line, text);
	tw_paragraph_end(&line);
}

static void print_head(const struct tw_report_group *group)
{
	const struct tw_report_job *job = &group->members[0]->job;
	struct tw_paragraph line = { .indent = 2 };
	char run[TW_FORMAT_SIZE];

	tw_paragraph_printf(&line, "%s:", job->name);
	if (group->size > 1)
		tw_paragraph_printf(&line, "%zu jobs merged,", group->size);
	tw_paragraph_printf(&line, "group %llu, iodepth %llu, %s,",
			    (unsigned long long)job->groupid,
			    (unsigned long long)job->iodepth,
			    tw_format_ns(run, (double)group->run_ns));
	tw_paragraph_printf(&line, "%s, engine %s, host %s", job->fio_version,
			    job->engine, job->host);
	if (tw_report_other_hosts(group))
		tw_paragraph_printf(&line, "and %zu more",
				    tw_report_other_hosts(group));
	tw_paragraph_end(&line);
	printf("  ");
	line.column = 2;
	line.indent = 7;
	tw_paragraph_add(&line, "from");
	for (size_t i = 0; i < group->size; i++) {
		tw_paragraph_add(&line, group->members[i]->path);
		if (i + 1 < group->size)
			tw_paragraph_add(&line, "and");
	}
	tw_paragraph_end(&line);
}

/* ---- the stages ---------------------------------------------------------- */

/* A percentile says something only if at least one I/O lies above it. */
static int has_percentile(const struct tw_histogram *histogram, double percent)
{
	return (double)histogram->count * (100 - percent) >= 99.999999;
}

/* "4.827us": eight columns, so that the whole table fits eighty. */
static void print_cell(double ns)
{
	char text[TW_FORMAT_SIZE], *space;

	tw_format_ns(text, ns);
	space = strchr(text, ' ');
	if (space)
		memmove(space, space + 1, strlen(space));
	printf(" %7s", text);
}

static void print_row_titles(const char *direction)
{
	printf("%-10s %7s %7s", direction, "min", "mean");
	for (size_t i = 0; i < PERCENTS; i++) {
		char title[16];

		snprintf(title, sizeof(title), "p%g", percents[i]);
		printf(" %7s", title);
	}
	printf(" %7s\n", "max");
}

/* A row that is not of every I/O says of how many it is. */
static void print_row(const char *name, const struct tw_histogram *histogram,
		      uint64_t ios)
{
	printf("%-10s", name);
	print_cell((double)histogram->min_ns);
	print_cell(tw_histogram_mean_ns(histogram));
	for (size_t i = 0; i < PERCENTS; i++)
		if (has_percentile(histogram, percents[i]))
			print_cell((double)tw_histogram_percentile(histogram,
								   percents[i]));
		else
			printf(" %7s", "-");
	print_cell((double)histogram->max_ns);
	if (histogram->count != ios)
		printf("\n%-10s (of %llu)", "",
		       (unsigned long long)histogram->count);
	putchar('\n');
}

/* A sentence below the direction that it is about. */
static void print_sentence(const char *text)
{
	struct tw_paragraph line = { .column = 2, .indent = 4 };

	printf("  ");
	tw_paragraph_add(&line, text);
	tw_paragraph_end(&line);
}

/* They look like fast ones. */
static void print_empty(const struct tw_report_tally *tally, int direction)
{
	uint64_t empty = tally->counts[TW_REPORT_EMPTY][direction];
	char text[TW_REPORT_SENTENCE];

	if (empty == 0)
		return;
	snprintf(text, sizeof(text), "among these: %llu that moved nothing (the "
		 "device is gone, or the file ends before)",
		 (unsigned long long)empty);
	print_sentence(text);
}

/* Per second of the longest job: of the group, not of the device. */
static void print_rate(uint64_t ios, uint64_t run_ns)
{
	char text[TW_FORMAT_SIZE];

	if (ios && run_ns)
		printf(", %s/s", tw_format_number(text, (double)ios * 1e9 /
						  (double)run_ns));
}

static void print_direction(const struct tw_report_group *group, int direction)
{
	const struct tw_report_tally *tally = &group->tally;
	uint64_t ios = tally->counts[TW_REPORT_IOS][direction];
	char text[TW_REPORT_SENTENCE];

	if (!tw_report_shows_direction(group, direction))
		return;
	printf("\n%s: %llu I/Os", tw_report_directions[direction],
	       (unsigned long long)ios);
	print_rate(ios, group->run_ns);
	putchar('\n');
	if (tw_report_say_sum(text, sizeof(text), group, direction))
		print_sentence(text);
	if (tw_report_say_call(text, sizeof(text), tally, direction))
		print_sentence(text);
	if (!tw_report_is_attached(group) &&
	    tw_report_say_apart(text, sizeof(text), tally, direction))
		print_sentence(text);
	print_empty(tally, direction);
	if (!tw_report_has_rows(group, direction))
		return;
	print_row_titles("stage");
	for (int i = 0; i < TW_REPORT_ROWS; i++)
		if (tally->times[i][direction].count)
			print_row(tw_report_times[i].name,
				  &tally->times[i][direction], ios);
	if (tw_report_say_inside(text, sizeof(text), tally, direction))
		print_sentence(text);
	if (tw_report_say_schedule(text, sizeof(text), group, direction))
		print_sentence(text);
}

static void print_not_split(const struct tw_report_group *group)
{
	char *text = tw_report_not_split_text(group);

	if (!text)
		return;
	print_sentence(text);
	free(text);
}

/* ---- the page ------------------------------------------------------------ */

/* How many I/Os share a stamp: completions seen at once have one. */
static void print_batches(const struct tw_report_tally *tally)
{
	struct tw_paragraph line = { .indent = 2 };
	uint64_t requeued = 0;

	if (tally->enters == 0 && tally->tails == 0)
		return;
	putchar('\n');
	tw_paragraph_printf(&line, "submitted by %llu system calls;",
			    (unsigned long long)tally->enters);
	tw_paragraph_printf(&line, "completions seen at %llu times, up to %llu "
			    "sharing a stamp",
			    (unsigned long long)tally->tails,
			    (unsigned long long)tally->largest_tail);
	for (int i = 0; i < TW_REPORT_DIRECTIONS; i++)
		requeued += tally->counts[TW_REPORT_REQUEUED][i];
	if (requeued)
		tw_paragraph_printf(&line, "; %llu times fio had to bring an "
				    "I/O again, as others had to come first",
				    (unsigned long long)requeued);
	tw_paragraph_end(&line);
}

/* What a reader might look for in vain. */
static void print_missing(const struct tw_report_group *group)
{
	struct tw_paragraph line = { .indent = 2 };
	const char *name;

	if (!tw_report_missing(group, 0))
		return;
	putchar('\n');
	tw_paragraph_add(&line, group->size == 1 ? "not recorded:" :
			 "not recorded by all of these jobs:");
	for (unsigned i = 0; (name = tw_report_missing(group, i)); i++)
		tw_paragraph_printf(&line, "%s%s", name,
				    tw_report_missing(group, i + 1) ? "," : "");
	tw_paragraph_end(&line);
}

static void print_unknown(const struct tw_report_group *group)
{
	struct tw_paragraph line = { .indent = 2 };
	const char *key;
	json_t *value;

	if (json_object_size(group->unknown) == 0)
		return;
	tw_paragraph_add(&line, "in the file, but unknown to this version and "
			 "left out:");
	json_object_foreach(group->unknown, key, value)
		tw_paragraph_add(&line, key);
	tw_paragraph_end(&line);
}

/* What the rest of the page is the evidence for. */
static void print_why(const struct tw_report_group *group)
{
	char text[TW_REPORT_SENTENCE];

	for (int i = 0; i < TW_REPORT_DIRECTIONS; i++)
		if (tw_report_say_why(text, sizeof(text), group, i))
			print_sentence(text);
}

static void print_attached_group(const struct tw_report_group *group)
{
	print_inside_warning(group);
	print_attached_head(group);
	print_why(group);
	for (int i = 0; i < TW_REPORT_DIRECTIONS; i++)
		print_direction(group, i);
	tw_report_print_attached(group);
	tw_report_print_slowest(group);
	print_unknown(group);
}

static void print_group(const struct tw_report_group *group)
{
	if (tw_report_is_attached(group)) {
		print_attached_group(group);
		return;
	}
	print_counter(group);
	print_inside_warning(group);
	print_head(group);
	print_why(group);
	for (int i = 0; i < TW_REPORT_DIRECTIONS; i++)
		print_direction(group, i);
	print_not_split(group);
	tw_report_print_slowest(group);
	tw_report_print_trigger(group);
	print_batches(&group->tally);
	tw_report_print_clocks(group);
	print_missing(group);
	print_unknown(group);
}

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

static void print_legend(const struct tw_report_group *groups, size_t count)
{
	unsigned digits = fewest_digits(groups, count);

	if (digits == 0)
		return;
	puts("\nstages");
	for (int i = 0; i < TW_REPORT_ROWS; i++)
		if (tw_report_shows_time(groups, count, i))
			printf("  %-10s  %s\n", tw_report_times[i].name,
			       tw_report_time_is(groups, count, i));
	printf("  min, mean and max are as stamped; percentiles at most %g %% "
	       "above;\n  -: too few I/Os, none lies above that percentile\n",
	       100 / pow(10, digits));
}

static void print_notes(void)
{
	puts("\nClock errors: plus is fast. CLOCK_MONOTONIC_RAW is the kernel's "
	     "calibration of\na crystal, not SI; how far that is off can't be "
	     "seen from inside. Such an error\nhardly shows in one I/O (1000 ppb "
	     "of 100 us are 0.1 ns): it matters for run\ntimes, rates, and results "
	     "held against those of other tools.");
}

void tw_report_print_page(const struct tw_report_group *groups, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (i)
			putchar('\n');
		print_group(&groups[i]);
	}
	print_legend(groups, count);
	for (size_t i = 0; i < count; i++)
		if (!tw_report_is_attached(&groups[i])) {
			print_notes();
			break;
		}
}
