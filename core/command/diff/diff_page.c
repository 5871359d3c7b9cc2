/* SPDX-License-Identifier: MIT */
/*
 * Makes a page of a comparison: the verdict, what each side is, how much each
 * figure changed, and which stage changed the mean.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "command/diff/diff.h"
#include "command/output/page.h"

/* ---- numbers ------------------------------------------------------------- */

/* Room for two numbers. */
#define INTERVAL	(2 * TW_FORMAT_SIZE + 8)

static double percent_of(double log_ratio)
{
	return expm1(log_ratio) * 100;
}

static int has_interval(const struct tw_diff_change *change)
{
	return change->low > -HUGE_VAL && change->high < HUGE_VAL;
}

/* Write "+1.235 us" or "+4.9 %". A value below half of the last digit is printed as 0,
 * without a sign. */
static const char *change_text(char *text, const struct tw_diff_figure *figure,
			       double change)
{
	char digits[TW_FORMAT_SIZE];
	double percent = percent_of(change);

	if (figure->is_log)
		snprintf(text, TW_FORMAT_SIZE, fabs(percent) < 0.05 ? "0.0 %%" : "%+.1f %%",
			 percent);
	else
		snprintf(text, TW_FORMAT_SIZE, "%s%.30s", change >= 0.0005 ? "+" : "",
			 tw_format_ns(digits, fabs(change) < 0.0005 ? 0 : change));
	return text;
}

static const char *signed_text(char *text, double value, int decimals)
{
	if (fabs(value) < pow(10, -decimals) / 2)
		return "0";
	snprintf(text, TW_FORMAT_SIZE, "%+.*f", decimals, value);
	return text;
}

/* Write both ends in one unit: "+4.341 to +5.104 us" */
static const char *interval_text(char *text, const struct tw_diff_figure *figure)
{
	const double low = figure->change.low, high = figure->change.high;
	struct tw_format_unit unit = tw_format_unit(fmax(fabs(low), fabs(high)));
	char texts[2][TW_FORMAT_SIZE];

	if (figure->is_log)
		snprintf(text, INTERVAL, "%.*s to %s",
			 (int)strlen(change_text(texts[0], figure, low)) - 2, texts[0],
			 change_text(texts[1], figure, high));
	else
		snprintf(text, INTERVAL, "%s to %s %s",
			 signed_text(texts[0], low / unit.ns, unit.decimals),
			 signed_text(texts[1], high / unit.ns, unit.decimals), unit.name);
	return text;
}

/* ---- the verdict --------------------------------------------------------- */

/* Write the largest change that is possible, in percent, rounded up. */
static void put_possible(char *text, const struct tw_diff *diff)
{
	const struct tw_diff_figure *least = tw_diff_least_certain(diff);
	double percent = least ? (tw_diff_possible(least) - 1) * 100 : 0;
	int decimals = percent < 100;
	double unit = pow(10, -decimals);

	snprintf(text, TW_FORMAT_SIZE, "%.*f %%", decimals,
		 fmax(ceil(percent / unit - 1e-6), 1) * unit);
}

/* Between @begin and @end is the change that is possible, or the threshold. */
static void add_headline(struct tw_page *page, const struct tw_diff *diff)
{
	static const struct {
		const char *begin, *end;
		enum tw_mark mark;
		int is_possible;
	} sentences[] = {
		[TW_DIFF_SAME] = { "No change from A to B above ",
				   " in I/Os per second or mean latency.", TW_MARK_GOOD, 1 },
		[TW_DIFF_NOISY] = { "Too noisy: a change of up to ",
				    " from A to B can't be excluded.", TW_MARK_UNDECIDED, 1 },
		[TW_DIFF_FASTER] = { "B is faster than A", ".", TW_MARK_GOOD, 0 },
		[TW_DIFF_SLOWER] = { "B is slower than A", ".", TW_MARK_BAD, 0 },
		[TW_DIFF_MIXED] = { "B is slower than A", " in some figures, and faster in "
				    "others.", TW_MARK_BAD, 0 },
		[TW_DIFF_DIFFER] = { " differ", ".", TW_MARK_UNDECIDED, 0 },
		[TW_DIFF_UNDECIDED] = { "No difference", " that this data can show.",
					TW_MARK_UNDECIDED, 0 },
	};
	const char *runs = diff->verdict != TW_DIFF_DIFFER ? "" :
			   diff->count == 2 ? "These two runs" : "These runs";
	char between[64] = "";

	if (sentences[diff->verdict].is_possible)
		put_possible(between, diff);
	else if (diff->threshold > 1)
		snprintf(between, sizeof(between), " by more than %g %%",
			 (diff->threshold - 1) * 100);
	tw_page_paragraph(page, "%s%s%s%s", runs, sentences[diff->verdict].begin, between,
			  sentences[diff->verdict].end);
	tw_page_mark(page, sentences[diff->verdict].mark);
}

/* Add the reason why there is no verdict. */
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
		tw_page_remark(page, "The runs of A and B did not take turns: a "
			       "change of the machine between them can't be told "
			       "from a difference between A and B.");
}

static int begins_part(const struct tw_diff *diff, size_t i)
{
	return i == 0 || !tw_diff_is_of(&diff->figures[i], &diff->figures[i - 1]);
}

/* Add "1.049 (1.045 to 1.054) times slower than A at p99"; for a figure without
 * a shown change "1.001 (0.981 to 1.022) times as slow as A at p99". A is named
 * once. */
static void add_times(struct tw_page *page, const struct tw_diff_figure *figure,
		      int is_first)
{
	const struct tw_diff_change *is = &figure->change;
	/* A factor is never less than 1. */
	int turned = figure->slower ? is->change < 0 : exp(is->change) < 0.9995;
	const char *word = figure->slower ? figure->slower < 0 ? "faster" : "slower" :
			   turned ? "as fast" : "as slow";
	char interval[64] = "";

	if (has_interval(is))
		snprintf(interval, sizeof(interval), " (%.3f to %.3f)",
			 exp(turned ? -is->high : is->low),
			 exp(turned ? -is->low : is->high));
	tw_page_more(page, "%s%.3f%s times %s%s %s%s", is_first ? "" : ", ",
		     exp(turned ? -is->change : is->change), interval, word,
		     !is_first ? "" : figure->slower ? " than A" : " as A",
		     figure->kind == TW_DIFF_PERCENTILE ? "at " :
		     figure->kind == TW_DIFF_MEAN ? "in the mean" : "in IOPS",
		     figure->kind == TW_DIFF_PERCENTILE ? figure->name : "");
}

static int is_told(const struct tw_diff_figure *figure)
{
	return figure->kind == TW_DIFF_MEAN || strcmp(figure->name, "p99") == 0;
}

/* A change is mentioned only if it is larger by this factor. */
#define MUCH_MORE	1.1

/* Return the figure of a part that changed by most; NULL: none has changed, or
 * by less than MUCH_MORE times those that are mentioned. The rate of I/Os is
 * not considered: a job waits for its I/Os, so the rate changes with the
 * mean. */
static const struct tw_diff_figure *most_changed(const struct tw_diff *diff, size_t first)
{
	const struct tw_diff_figure *most = NULL;
	double told = 0;

	for (size_t i = first; i < diff->figure_count && diff->figures[i].is_log &&
	     tw_diff_is_of(&diff->figures[i], &diff->figures[first]); i++) {
		const struct tw_diff_figure *figure = &diff->figures[i];
		double change = figure->slower ? fabs(figure->change.change) : 0;

		if (is_told(figure))
			told = fmax(told, change);
		else if (change > (most ? fabs(most->change.change) : 0))
			most = figure;
	}
	return most && fabs(most->change.change) > told * MUCH_MORE ? most : NULL;
}

/* Add the mean and p99 of each part, and a figure that changed by more. */
static void add_summary(struct tw_page *page, const struct tw_diff *diff)
{
	for (size_t first = 0; first < diff->figure_count; first++) {
		const struct tw_diff_figure *part = &diff->figures[first], *most;
		int is_first = 1;

		if (!begins_part(diff, first))
			continue;
		most = most_changed(diff, first);
		tw_page_remark(page, "%s %s: B is ", tw_diff_job(part)->name,
			       tw_direction_names[part->direction]);
		for (size_t i = first; i < diff->figure_count && diff->figures[i].is_log &&
		     tw_diff_is_of(&diff->figures[i], part); i++)
			if (is_told(&diff->figures[i]) || &diff->figures[i] == most) {
				add_times(page, &diff->figures[i], is_first);
				is_first = 0;
			}
		tw_page_more(page, ".");
	}
}

/* Return the figure whose interval is the widest; NULL: there is no interval. Of equal
 * figures take the first, whatever rounding does. */
static const struct tw_diff_figure *widest(const struct tw_diff *diff)
{
	const struct tw_diff_figure *worst = NULL;

	for (size_t i = 0; i < diff->figure_count; i++) {
		const struct tw_diff_figure *figure = &diff->figures[i];

		if (figure->is_log && has_interval(&figure->change) &&
		    (!worst || figure->change.high - figure->change.low >
			       (worst->change.high - worst->change.low) * (1 + 1e-9)))
			worst = figure;
	}
	return worst;
}

/* Add how large a change could be that the test did not find. */
static void add_least_certain(struct tw_page *page, const struct tw_diff *diff)
{
	const struct tw_diff_figure *least =
		tw_diff_is_noisy(diff) ? tw_diff_least_certain(diff) :
		diff->verdict == TW_DIFF_SAME ? widest(diff) : NULL;
	char text[INTERVAL];

	if (!least)
		return;
	tw_page_remark(page, "Least certain is the %s of %s %s: its change is in %s.",
		       least->name, tw_diff_job(least)->name,
		       tw_direction_names[least->direction],
		       interval_text(text, least));
	if (diff->verdict == TW_DIFF_NOISY)
		tw_page_remark(page, "For a verdict, the intervals of IOPS and lat mean "
			       "must be within %g %%. Make more or longer runs.",
			       (tw_diff_limit(diff) - 1) * 100);
}

static void add_list(struct tw_page *page, const struct tw_diff_facts *facts)
{
	for (size_t i = 0; i < facts->count; i++)
		tw_page_item(page, "%s: %s in A; %s in B", facts->list[i].name,
			     facts->list[i].is[TW_DIFF_A], facts->list[i].is[TW_DIFF_B]);
}

/* In text, with their values. Of more the names fill a line or two. */
#define FEW_OPTIONS	4

static void add_options(struct tw_page *page, const struct tw_diff_facts *options)
{
	if (!options->count)
		return;
	tw_page_gap(page);
	if (options->count > FEW_OPTIONS) {
		tw_page_paragraph(page, "%zu options differ (values with --json, --html)",
				  options->count);
		tw_page_only(page, TW_IN_TEXT);
		for (size_t i = 0; i < options->count; i++)
			tw_page_more(page, "%s %s", i ? "," : ":", options->list[i].name);
		tw_page_begin_only(page, TW_IN_HTML);
	}
	tw_page_paragraph(page, "Options that differ:");
	add_list(page, options);
	tw_page_begin_only(page, TW_IN_ALL);
}

static void add_facts(struct tw_page *page, const struct tw_diff *diff)
{
	add_options(page, &diff->options);
	if (diff->facts.count) {
		tw_page_gap(page);
		tw_page_warning(page, "The runs of A and B differ in this, too. A change "
				"may come from there.");
		add_list(page, &diff->facts);
	}
	if (diff->overlaps) {
		tw_page_gap(page);
		tw_page_warning(page, "Runs of one host overlap in time: each is part of "
				"what the other measured. Make one run after the other.");
	}
}

/* ---- the figures --------------------------------------------------------- */

/* Add the mean of a side, and how much its values differ from run to run. */
static void add_side(struct tw_table *table, const struct tw_diff_figure *figure,
		     double value, double spread, size_t runs)
{
	double is = figure->is_log ? exp(value) : value;

	if (figure->kind == TW_DIFF_IOPS)
		tw_cell_number(table, is);
	else
		tw_cell_ns(table, is);
	if (figure->is_log && runs < 2)
		tw_cell_none(table);
	else if (figure->is_log)
		tw_cell_printf(table, "%.1f %%", percent_of(spread));
}

static void add_figure(struct tw_table *table, const struct tw_diff *diff,
		       const struct tw_diff_figure *figure)
{
	static const char *const words[2][3] = {
		{ "shorter", "", "longer" }, { "faster", "", "slower" },
	};
	const struct tw_diff_change *is = &figure->change;
	char text[INTERVAL];

	tw_table_row(table);
	tw_cell_text(table, figure->name);
	add_side(table, figure, is->a, is->spread_a, diff->of[TW_DIFF_A]);
	add_side(table, figure, is->b, is->spread_b, diff->of[TW_DIFF_B]);
	tw_cell_text(table, change_text(text, figure, is->change));
	if (has_interval(is))
		tw_cell_text(table, interval_text(text, figure));
	else
		tw_cell_none(table);
	tw_cell_strong(table, words[figure->is_log][figure->slower + 1]);
}

/* Add the table of figures, or that of parts of the mean. The latter has no column for the
 * differences from run to run, so that the page does not become wider. */
static struct tw_table *add_table(struct tw_page *page, int is_of_parts)
{
	static const struct tw_column columns[] = {
		{ .heading = "figure", .width = 8, .flags = TW_COLUMN_LEFT },
		{ .heading = "A", .width = 8 },
		{ .heading = "+-", .width = 5 },
		{ .heading = "B", .width = 8 },
		{ .heading = "+-", .width = 5 },
		{ .heading = "change", .width = 7 },
		{ .heading = "interval" },
		{ .heading = "", .flags = TW_COLUMN_LEFT },
	}, of_parts[] = {
		{ .heading = "part of mean", .width = 15, .flags = TW_COLUMN_LEFT },
		{ .heading = "A", .width = 8 },
		{ .heading = "B", .width = 8 },
		{ .heading = "change", .width = 9 },
		{ .heading = "interval" },
		{ .heading = "", .flags = TW_COLUMN_LEFT },
	};

	return is_of_parts ?
		tw_page_table(page, of_parts, sizeof(of_parts) / sizeof(*of_parts)) :
		tw_page_table(page, columns, sizeof(columns) / sizeof(*columns));
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
			tw_page_heading(page, 2, "%s, %s", tw_diff_job(figure)->name,
					tw_direction_names[figure->direction]);
			if (with_plots)
				tw_diff_add_plots(page, diff, figure);
		}
		if (begins_part(diff, i) || is_stage != had_stage) {
			tw_page_gap(page);
			table = add_table(page, is_stage);
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

/* Add how the runs were tested if there are too few. */
static void add_pieces(struct tw_page *page, const struct tw_diff *diff)
{
	int some = 0, all = 1;

	for (size_t i = 0; i < diff->figure_count; i++)
		if (diff->figures[i].is_log) {
			some |= diff->figures[i].is_cut;
			all &= diff->figures[i].is_cut;
		}
	if (!some) {
		tw_page_note(page, "A difference of these runs could not be "
			     "tested: their reports lack the run over time.");
		return;
	}
	tw_page_note(page, "Runs are compared by %zu pieces of equal time from "
		     "each. The chance of a false alarm in any figure is at most 5 "
		     "%%, if I/Os are correlated for much less time than a piece "
		     "takes.", diff->pieces);
	if (!all)
		tw_page_note(page, "Some percentiles could not be tested. That takes the "
			     "files of tw_interval next to the reports, and %d I/Os "
			     "beyond a percentile in each piece.",
			     TW_DIFF_FEWEST_BEYOND);
}

static void add_method(struct tw_page *page, const struct tw_diff *diff)
{
	tw_page_gap(page);
	tw_page_note(page, "Runs: %zu of A, %zu of B; +- is the standard deviation from "
		     "run to run. Parts of the mean are times of a stage over all I/Os: "
		     "they add up to lat mean. The submitting call overlaps them.",
		     diff->of[TW_DIFF_A], diff->of[TW_DIFF_B]);
	if (diff->pieces)
		add_pieces(page, diff);
	else if (!tw_diff_can_show(diff->of[TW_DIFF_A], diff->of[TW_DIFF_B],
				   diff->level))
		tw_page_note(page, "So few runs of one side can't show a difference: "
			     "no split of these runs is rarer than %g %%. Of 5 %%, four of "
			     "each side can.", 100 * diff->level);
	if (has_interval(&diff->figures[0].change))
		tw_page_note(page, "Each interval holds with %g %%. The chance of "
			     "a false alarm in any figure is at most %g %%, by a "
			     "permutation test of the %s in %zu splits. A run is "
			     "one observation, however its I/Os are correlated.",
			     100 - 100 * diff->level, 100 * diff->level,
			     diff->are_pairs ? "pairs of neighbours" : "runs",
			     tw_diff_splits(diff->of[TW_DIFF_A], diff->of[TW_DIFF_B],
					    diff->are_pairs));
}

/* The title names the jobs that are compared. */
static struct tw_page *new_page(const struct tw_diff *diff)
{
	const struct tw_report_group **list;
	struct tw_page *page;
	size_t count = 0;
	char *title;

	for (size_t i = 0; i < diff->count; i++)
		count += diff->runs[i].count;
	list = tw_malloc(count * sizeof(*list));
	count = 0;
	for (size_t i = 0; i < diff->count; i++)
		for (size_t j = 0; j < diff->runs[i].count; j++)
			list[count++] = diff->runs[i].groups[j];
	title = tw_report_title(list, count);
	page = tw_page_new(tw_format("A and B: %s", title));
	free(title);
	free(list);
	return page;
}

struct tw_page *tw_diff_page(const struct tw_diff *diff, int with_plots)
{
	struct tw_page *page = new_page(diff);

	add_headline(page, diff);
	if (with_plots)
		tw_diff_add_bars(page, diff);
	add_summary(page, diff);
	add_least_certain(page, diff);
	add_why_not(page, diff);
	add_facts(page, diff);
	add_figures(page, diff, with_plots);
	add_left_out(page, diff);
	add_method(page, diff);
	return page;
}
