/* SPDX-License-Identifier: MIT */
/*
 * A comparison as a page: the verdict, what each side is, how much each figure changed,
 * and which stage the mean's change is in.
 */
#include <math.h>
#include <stdio.h>

#include "command/diff/diff.h"
#include "command/output/format.h"
#include "command/output/page.h"
#include "command/output/table.h"

/* ---- numbers ------------------------------------------------------------- */

static double percent_of(double log_ratio)
{
	return expm1(log_ratio) * 100;
}

static int has_interval(const struct tw_diff_change *change)
{
	return change->low > -HUGE_VAL && change->high < HUGE_VAL;
}

/* "+1.235 us" */
static const char *signed_ns(char *text, double ns)
{
	char digits[TW_FORMAT_SIZE];

	/* Less than the digits show has no sign. */
	if (fabs(ns) < 0.0005)
		ns = 0;
	snprintf(text, TW_FORMAT_SIZE, "%s%.30s", ns > 0 ? "+" : "",
		 tw_format_ns(digits, ns));
	return text;
}

static const char *signed_percent(char *text, double log_ratio)
{
	double percent = percent_of(log_ratio);

	snprintf(text, TW_FORMAT_SIZE, fabs(percent) < 0.05 ? "0.0" : "%+.1f", percent);
	return text;
}

static void change_text(char *text, size_t size, const struct tw_diff_figure *figure,
			double change)
{
	char digits[TW_FORMAT_SIZE];

	if (figure->is_log)
		snprintf(text, size, "%s %%", signed_percent(digits, change));
	else
		snprintf(text, size, "%s", signed_ns(digits, change));
}

/* Room for two numbers. */
#define INTERVAL	(2 * TW_FORMAT_SIZE + 8)

static const char *interval_text(char *text, const struct tw_diff_figure *figure)
{
	char low[TW_FORMAT_SIZE], high[TW_FORMAT_SIZE];

	if (figure->is_log)
		signed_percent(low, figure->change.low);
	else
		signed_ns(low, figure->change.low);
	change_text(high, sizeof(high), figure, figure->change.high);
	snprintf(text, INTERVAL, "%s to %s", low, high);
	return text;
}

/* ---- the verdict --------------------------------------------------------- */

static void add_headline(struct tw_page *page, const struct tw_diff *diff)
{
	const char *runs = diff->count == 2 ? "These two runs" : "These runs";
	char beyond[64] = "";

	if (diff->threshold > 1)
		snprintf(beyond, sizeof(beyond), " by more than %g %%",
			 (diff->threshold - 1) * 100);
	switch (diff->verdict) {
	case TW_DIFF_SAME:
		tw_page_paragraph(page, "No change from A to B%s that these runs can "
				  "show.", beyond);
		return;
	case TW_DIFF_FASTER:
		tw_page_paragraph(page, "B is faster than A%s.", beyond);
		return;
	case TW_DIFF_SLOWER:
		tw_page_paragraph(page, "B is slower than A%s.", beyond);
		return;
	case TW_DIFF_MIXED:
		tw_page_paragraph(page, "B is slower than A%s in some figures, and "
				  "faster in others.", beyond);
		return;
	case TW_DIFF_DIFFER:
		tw_page_paragraph(page, "%s differ%s.", runs, beyond);
		return;
	case TW_DIFF_UNDECIDED:
		tw_page_paragraph(page, "No difference%s that this data can show.",
				  beyond);
		return;
	}
}

/* Why there is no verdict on the sides. */
static void add_why_not(struct tw_page *page, const struct tw_diff *diff)
{
	if (diff->of[TW_DIFF_A] < TW_DIFF_FEWEST_RUNS ||
	    diff->of[TW_DIFF_B] < TW_DIFF_FEWEST_RUNS)
		tw_page_remark(page, "How much a side differs from run to run is not "
			       "known: that takes at least %d runs of each side, which "
			       "take turns. Here are %zu of A and %zu of B.",
			       TW_DIFF_FEWEST_RUNS, diff->of[TW_DIFF_A],
			       diff->of[TW_DIFF_B]);
	else if (!diff->is_interleaved)
		tw_page_remark(page, "The runs of A and B did not take turns: what "
			       "changed in the machine between them can't be told from "
			       "what differs between A and B.");
}

/* "0.951 times the IOPS of A (0.944 to 0.958)" */
static const char *times_text(char *text, size_t size, const char *what,
			      const struct tw_diff_change *change)
{
	int length = snprintf(text, size, "%.3f times the %s of A", exp(change->change),
			      what);

	if (has_interval(change))
		snprintf(text + length, size - (size_t)length, " (%.3f to %.3f)",
			 exp(change->low), exp(change->high));
	return text;
}

static int begins_part(const struct tw_diff *diff, size_t i)
{
	return i == 0 || diff->figures[i].group != diff->figures[i - 1].group ||
	       diff->figures[i].direction != diff->figures[i - 1].direction;
}

static const char *job_of(const struct tw_diff_figure *figure)
{
	return figure->group->members[0]->job.name;
}

static const char *direction_of(const struct tw_diff_figure *figure)
{
	return tw_report_directions[figure->direction];
}

/* As hyperfine's: how many times that of A it is. */
static void add_summary(struct tw_page *page, const struct tw_diff *diff)
{
	char texts[2][128];

	for (size_t i = 0; i + 1 < diff->figure_count; i++) {
		const struct tw_diff_figure *rate = &diff->figures[i], *mean = rate + 1;

		if (rate->kind == TW_DIFF_IOPS && mean->kind == TW_DIFF_MEAN)
			tw_page_remark(page, "%s %s: B has %s, %s.", job_of(rate),
				       direction_of(rate),
				       times_text(texts[0], sizeof(texts[0]), "IOPS",
						  &rate->change),
				       times_text(texts[1], sizeof(texts[1]),
						  "mean latency", &mean->change));
	}
}

/* How much may have stayed unseen. */
static void add_least_certain(struct tw_page *page, const struct tw_diff *diff)
{
	const struct tw_diff_figure *worst = NULL;
	char text[INTERVAL];

	for (size_t i = 0; i < diff->figure_count; i++) {
		const struct tw_diff_figure *figure = &diff->figures[i];

		if (figure->is_log && has_interval(&figure->change) &&
		    (!worst || figure->change.high - figure->change.low >
			       worst->change.high - worst->change.low))
			worst = figure;
	}
	if (worst && diff->verdict == TW_DIFF_SAME)
		tw_page_remark(page, "Least certain is the %s of %s %s: its change is "
			       "in %s.", worst->name, job_of(worst),
			       direction_of(worst), interval_text(text, worst));
}

static void add_facts(struct tw_page *page, const struct tw_diff *diff)
{
	static const struct tw_column columns[] = {
		{ .heading = "differs", .width = 15, .flags = TW_COLUMN_LEFT },
		{ .heading = "A", .width = 20, .flags = TW_COLUMN_LEFT },
		{ .heading = "B", .flags = TW_COLUMN_LEFT },
	};
	struct tw_table *table;

	if (!diff->fact_count)
		return;
	tw_page_gap(page);
	tw_page_warning(page, "The runs of A and B differ in this, too. A change may come "
			"from there.");
	table = tw_page_table(page, columns, 3);
	for (size_t i = 0; i < diff->fact_count; i++) {
		tw_table_row(table);
		tw_cell_text(table, diff->facts[i].name);
		for (int side = 0; side < TW_DIFF_SIDES; side++)
			tw_cell_text(table, diff->facts[i].is[side]);
	}
}

static void add_overlap(struct tw_page *page, const struct tw_diff *diff)
{
	if (!diff->overlaps)
		return;
	tw_page_gap(page);
	tw_page_warning(page, "Runs of one host overlap in time: each is part of what the "
			"other measured. Make one run after the other.");
}

/* ---- the figures --------------------------------------------------------- */

static void add_value(struct tw_table *table, const struct tw_diff_figure *figure,
		      double value)
{
	double is = figure->is_log ? exp(value) : value;

	if (figure->kind == TW_DIFF_IOPS)
		tw_cell_number(table, is);
	else
		tw_cell_ns(table, is);
}

/* From run to run, of a side. */
static void add_spread(struct tw_table *table, const struct tw_diff_figure *figure,
		       double mean, double spread, size_t runs)
{
	if (runs < 2)
		tw_cell_none(table);
	else if (figure->is_log)
		tw_cell_printf(table, "%.1f %%", percent_of(spread));
	else if (mean > 0)
		tw_cell_printf(table, "%.1f %%", spread / mean * 100);
	else
		tw_cell_none(table);
}

static const char *change_word(const struct tw_diff_figure *figure)
{
	if (!figure->slower)
		return "";
	if (figure->is_log)
		return figure->slower > 0 ? "slower" : "faster";
	return figure->slower > 0 ? "longer" : "shorter";
}

static void add_figure(struct tw_table *table, const struct tw_diff *diff,
		       const struct tw_diff_figure *figure)
{
	const struct tw_diff_change *is = &figure->change;
	char text[INTERVAL];

	tw_table_row(table);
	tw_cell_text(table, figure->name);
	add_value(table, figure, is->a);
	add_spread(table, figure, is->a, is->spread_a, diff->of[TW_DIFF_A]);
	add_value(table, figure, is->b);
	add_spread(table, figure, is->b, is->spread_b, diff->of[TW_DIFF_B]);
	change_text(text, sizeof(text), figure, is->change);
	tw_cell_text(table, text);
	if (has_interval(is))
		tw_cell_text(table, interval_text(text, figure));
	else
		tw_cell_none(table);
	tw_cell_strong(table, change_word(figure));
}

static struct tw_table *new_table(struct tw_page *page, const char *of)
{
	const struct tw_column columns[] = {
		{ .heading = of, .width = 15, .flags = TW_COLUMN_LEFT },
		{ .heading = "A", .width = 8 },
		{ .heading = "+-", .width = 5 },
		{ .heading = "B", .width = 8 },
		{ .heading = "+-", .width = 5 },
		{ .heading = "change", .width = 7 },
		{ .heading = "interval" },
		{ .heading = "", .flags = TW_COLUMN_LEFT },
	};

	return tw_page_table(page, columns, sizeof(columns) / sizeof(columns[0]));
}

static void add_figures(struct tw_page *page, const struct tw_diff *diff,
			int with_plots)
{
	struct tw_table *table = NULL;
	int had_stage = 0;

	for (size_t i = 0; i < diff->figure_count; i++) {
		const struct tw_diff_figure *figure = &diff->figures[i];
		int is_stage = !figure->is_log;

		if (begins_part(diff, i)) {
			tw_page_heading(page, 2, "%s, %s", job_of(figure),
					direction_of(figure));
			if (with_plots)
				tw_diff_add_plots(page, diff, figure);
		}
		if (begins_part(diff, i) || is_stage != had_stage) {
			tw_page_gap(page);
			table = new_table(page, is_stage ? "part of mean" : "figure");
		}
		had_stage = is_stage;
		add_figure(table, diff, figure);
	}
}

/* ---- the rest ------------------------------------------------------------ */

static void add_left_out(struct tw_page *page, const struct tw_diff *diff)
{
	if (!json_array_size(diff->left_out))
		return;
	tw_page_gap(page);
	tw_page_paragraph(page, "Left out:");
	for (size_t i = 0; i < json_array_size(diff->left_out); i++)
		tw_page_item(page, "%s", json_string_value(
				     json_array_get(diff->left_out, i)));
}

static void add_method(struct tw_page *page, const struct tw_diff *diff)
{
	tw_page_gap(page);
	tw_page_note(page, "Runs: %zu of A, %zu of B; +- is the standard deviation from "
		     "run to run. Parts of the mean are times of a stage over all I/Os: "
		     "they add up to lat mean. The submitting call overlaps them.",
		     diff->of[TW_DIFF_A], diff->of[TW_DIFF_B]);
	if (has_interval(&diff->figures[0].change))
		tw_page_note(page, "Intervals hold for all figures together with 95 %%: "
			     "a permutation test of the runs, in %zu splits. A run is "
			     "one observation, however its I/Os are correlated.",
			     tw_diff_splits(diff->of[TW_DIFF_A], diff->of[TW_DIFF_B]));
}

struct tw_page *tw_diff_page(const struct tw_diff *diff, int with_plots)
{
	struct tw_page *page = tw_page_new("Two sets of runs");

	add_headline(page, diff);
	add_summary(page, diff);
	add_least_certain(page, diff);
	add_why_not(page, diff);
	add_facts(page, diff);
	add_overlap(page, diff);
	add_figures(page, diff, with_plots);
	add_left_out(page, diff);
	add_method(page, diff);
	return page;
}
