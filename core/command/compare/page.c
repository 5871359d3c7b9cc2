/* SPDX-License-Identifier: MIT */
/*
 * Makes a page of the results of tickwise compare: how far off each clock is,
 * what reading it costs, and how to read the figures.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "command/compare/output.h"
#include "command/output/page.h"

#define COUNT(array)	(sizeof(array) / sizeof((array)[0]))
#define NAME_WIDTH	19

/* Return the decimals that a number with three digits has. */
static int decimals_of(double ppb)
{
	return ppb < 10 ? 2 : ppb < 1000;
}

static void add_ppb(struct tw_table *table, double ppb)
{
	tw_cell_fixed(table, ppb, decimals_of(ppb));
}

static void add_start(struct tw_table *table, const char *name,
		      const struct tw_compare_sum *sum)
{
	tw_table_row(table);
	tw_cell_text(table, name);
	tw_cell_u64(table, sum->starts);
	if (!sum->starts)
		return;
	add_ppb(table, sum->raw_median_ppb);
	add_ppb(table, sum->raw_worst_ppb);
	add_ppb(table, sum->raw_error_ppb);
	add_ppb(table, sum->monotonic_median_ppb);
	add_ppb(table, sum->monotonic_worst_ppb);
	add_ppb(table, sum->monotonic_error_ppb);
	tw_cell_fixed(table, sum->startup_ns / 1e6, 1);
}

static void add_errors(struct tw_page *page, const struct tw_compare_result *result,
		       int load)
{
	static const char raw[] = "off RAW, ppb";
	static const char monotonic[] = "off MONOTONIC, ppb";
	static const struct tw_column columns[] = {
		{ .heading = "clock", .width = NAME_WIDTH, .flags = TW_COLUMN_LEFT },
		{ .heading = "starts" },
		{ .heading = "median", .group = raw, .width = 6 },
		{ .heading = "worst", .group = raw, .width = 6 },
		{ .heading = "+-", .group = raw, .width = 6 },
		{ .heading = "median", .group = monotonic, .width = 6 },
		{ .heading = "worst", .group = monotonic, .width = 6 },
		{ .heading = "+-", .group = monotonic, .width = 6 },
		{ .heading = "ms", .group = "start-up" },
	};
	struct tw_table *table = tw_page_table(page, columns, COUNT(columns));

	for (unsigned i = 0; i < result->clocks; i++)
		add_start(table, result->clock[i].name, &result->sum[i][load]);
	for (unsigned i = 0; i < result->clocks; i++) {
		const struct tw_compare_sum *sum = &result->sum[i][load];

		if (sum->failed)
			tw_page_paragraph(page, "%s: %u of %u starts failed.",
					  result->clock[i].name, sum->failed,
					  sum->starts + sum->failed);
	}
}

static void add_name(char *names, size_t size, const char *name)
{
	size_t length = strlen(names);

	snprintf(names + length, size - length, "%s%s", length ? ", " : "", name);
}

static int is_tie(const struct tw_compare_sum *sum, enum tw_against against)
{
	return sum->starts && (against == TW_AGAINST_RAW ?
			       sum->raw_worst_ppb <= sum->raw_error_ppb :
			       sum->monotonic_worst_ppb <=
			       sum->monotonic_error_ppb);
}

/* Name the clocks that are tied: their errors are smaller than their
 * uncertainties. */
static void add_ties(struct tw_page *page, const struct tw_compare_result *result,
		     int load, enum tw_against against)
{
	char names[256] = "";

	for (unsigned i = 0; i < result->clocks; i++)
		if (is_tie(&result->sum[i][load], against))
			add_name(names, sizeof(names), result->clock[i].name);
	if (names[0])
		tw_page_paragraph(page, "Tie against %s, all within +-: %s",
				  against == TW_AGAINST_RAW ? "RAW" : "MONOTONIC",
				  names);
}

static void add_loads(struct tw_page *page, const struct tw_compare_result *result,
		      const struct tw_compare_arguments *arguments)
{
	for (int load = 0; load < TW_COMPARE_LOADS; load++) {
		if (!arguments->loads[load])
			continue;
		if (load == TW_COMPARE_BUSY)
			tw_page_heading(page, 2, "Under load, %u busy loops",
					result->busy_loops);
		else
			tw_page_heading(page, 2, "Idle, as far as this machine is");
		add_errors(page, result, load);
		add_ties(page, result, load, TW_AGAINST_RAW);
		add_ties(page, result, load, TW_AGAINST_MONOTONIC);
	}
}

/* ---- the verdict --------------------------------------------------------- */

/* How far a clock is off in its worst start, under any load. */
struct off {
	double ppb, error_ppb;
};

/* Return how far it is off the nearer of the kernel's two clocks: a clock that
 * follows either of them is right. Negative: there was no start. */
static struct off off_of(const struct tw_compare_sum sums[TW_COMPARE_LOADS])
{
	struct off raw = { -1, 0 }, monotonic = { -1, 0 };

	for (int load = 0; load < TW_COMPARE_LOADS; load++) {
		const struct tw_compare_sum *sum = &sums[load];

		if (sum->starts && sum->raw_worst_ppb > raw.ppb)
			raw = (struct off) { sum->raw_worst_ppb, sum->raw_error_ppb };
		if (sum->starts && sum->monotonic_worst_ppb > monotonic.ppb)
			monotonic = (struct off) { sum->monotonic_worst_ppb,
						   sum->monotonic_error_ppb };
	}
	return monotonic.ppb < raw.ppb ? monotonic : raw;
}

static void add_verdict(struct tw_page *page, const struct tw_compare_result *result)
{
	struct off worst = { -1, 0 };
	const char *farthest = NULL;
	char within[256] = "";
	double error_ppb = 0;

	for (unsigned i = 0; i < result->clocks; i++) {
		struct off off = off_of(result->sum[i]);

		if (off.ppb > worst.ppb) {
			worst = off;
			farthest = result->clock[i].name;
		}
		if (off.ppb < 0 || off.ppb > off.error_ppb)
			continue;
		add_name(within, sizeof(within), result->clock[i].name);
		error_ppb = fmax(error_ppb, off.error_ppb);
	}
	if (!farthest)
		tw_page_paragraph(page, "No clock could be measured.");
	else if (worst.ppb <= worst.error_ppb)
		tw_page_paragraph(page, "No measured clock is off by more than the error "
				  "of this comparison.");
	else
		tw_page_paragraph(page, "%s is the farthest off: by %.*f +-%.*f ppb in its "
				  "worst start.", farthest, decimals_of(worst.ppb),
				  worst.ppb, decimals_of(worst.error_ppb),
				  worst.error_ppb);
	if (within[0])
		tw_page_remark(page, "Within the error of the comparison, at most +-%.*f "
			       "ppb: %s.", decimals_of(error_ppb), error_ppb, within);
	tw_page_remark(page, "Each clock is judged by the nearer of CLOCK_MONOTONIC_RAW "
		       "and CLOCK_MONOTONIC.");
}

/* ---- cost and notes ------------------------------------------------------ */

static void add_known(struct tw_table *table, double value, int decimals)
{
	if (value > 0)
		tw_cell_fixed(table, value, decimals);
	else
		tw_cell_none(table);
}

static void add_costs(struct tw_page *page, const struct tw_compare_result *result,
		      const struct tw_compare_arguments *arguments)
{
	static const struct tw_column columns[] = {
		{ .heading = "clock", .width = NAME_WIDTH, .flags = TW_COLUMN_LEFT },
		{ .heading = "read, ns" },
		{ .heading = "reads/I/O" },
		{ .heading = "null, IOPS" },
	};
	int load = arguments->loads[TW_COMPARE_IDLE] ? TW_COMPARE_IDLE :
						       TW_COMPARE_BUSY;
	struct tw_table *table;

	tw_page_heading(page, 2, "Cost");
	table = tw_page_table(page, columns, COUNT(columns));
	for (unsigned i = 0; i < result->clocks; i++) {
		tw_table_row(table);
		tw_cell_text(table, result->clock[i].name);
		add_known(table, result->sum[i][load].read_ns, 1);
		add_known(table, result->reads_per_io[i], 2);
		add_known(table, result->null_iops[i], 0);
	}
}

static void add_notes(struct tw_page *page, const struct tw_compare_result *result,
		      const struct tw_compare_arguments *arguments)
{
	tw_page_gap(page);
	tw_page_note(page, "Each start was compared over %g s. Errors are of the rate: 1 "
		     "ppb is 1 ns per second. +- is what the comparison itself can be "
		     "off.", (double)arguments->window_ns / 1e9);
	tw_page_note(page, "adjtimex(2) reports that CLOCK_MONOTONIC runs %+.1f ppb off "
		     "CLOCK_MONOTONIC_RAW. The kernel keeps time by %s. Neither clock "
		     "is SI. At some frequencies fio's clock is exact by chance; that "
		     "hides how far off it is at others.", result->steering_ppb,
		     result->clocksource[0] ? result->clocksource :
					      "an unknown clocksource");
	tw_page_note(page, "Such an error hardly shows in one I/O: 1000 ppb of 100 us "
		     "are 0.1 ns. It matters for run times, rates, and comparisons "
		     "with results of other tools.");
}

static void add_clocks(struct tw_page *page, const struct tw_compare_result *result)
{
	tw_page_heading(page, 2, "Clocks");
	for (unsigned i = 0; i < result->clocks; i++) {
		const struct tw_compare_clock *clock = &result->clock[i];

		if (clock->version[0])
			tw_page_fact(page, clock->name, "%s (%s)", clock->what,
				     clock->version);
		else
			tw_page_fact(page, clock->name, "%s", clock->what);
	}
}

struct tw_page *tw_compare_page(const struct tw_compare_result *result,
				const struct tw_compare_arguments *arguments)
{
	struct tw_page *page = tw_page_new("fio's clocks and Tickwise's");

	add_verdict(page, result);
	add_loads(page, result, arguments);
	add_costs(page, result, arguments);
	add_notes(page, result, arguments);
	add_clocks(page, result);
	return page;
}
