/* SPDX-License-Identifier: MIT */
/*
 * Makes a page of a comparison: the verdict, what each side is, and how much figures and stages
 * changed.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "command/command.h"
#include "command/diff/diff.h"
#include "command/output/page.h"

/* ---- numbers ------------------------------------------------------------- */

static double percent_of(double log_ratio)
{
	return expm1(log_ratio) * 100;
}

static int has_interval(const struct tw_diff_change *change)
{
	return change->low > -HUGE_VAL && change->high < HUGE_VAL;
}

/* The unit of a change and of its interval. */
static struct tw_format_unit unit_of(const struct tw_diff_figure *figure)
{
	const struct tw_diff_change *is = &figure->change;
	const int has = has_interval(is);
	const double low = has ? is->low : is->change, high = has ? is->high : is->change;

	if (!figure->is_log)
		return tw_format_unit(fmax(fabs(low), fabs(high)));
	return (struct tw_format_unit) {
		1, "%", fmax(fabs(percent_of(low)), fabs(percent_of(high))) < 100,
	};
}

/* Return "+1.235" or "+4.9". A value below half of the last digit is printed as 0, without a
 * sign. */
static const char *value_text(const struct tw_diff_figure *figure, double value)
{
	const struct tw_format_unit unit = unit_of(figure);

	value = figure->is_log ? percent_of(value) : value / unit.ns;
	return fabs(value) < pow(10, -unit.decimals) / 2 ? "0" :
		tw_format("%+.*f", unit.decimals, value);
}

/* Return "+4.655 us", "+4.655 us +-120 ns" or "+4.9 %"; and its interval, "(+4.341 to +5.104)", or
 * "". */
static const char *change_text(const struct tw_diff_figure *figure)
{
	return tw_format("%s %s%s", value_text(figure, figure->change.change),
			 unit_of(figure).name, figure->error_ns > 0 ?
			 tw_format(" +-%s", TW_SAY_ROUND(figure->error_ns)) : "");
}

static const char *interval_text(const struct tw_diff_figure *figure)
{
	return !has_interval(&figure->change) ? "" :
		tw_format("(%s to %s)", value_text(figure, figure->change.low),
			  value_text(figure, figure->change.high));
}

/* ---- the verdict --------------------------------------------------------- */

/* Return "JOB DIRECTION ", or "" if all figures are of one. */
static const char *part_name(const struct tw_diff *diff, const struct tw_diff_figure *figure)
{
	return tw_diff_is_of(&diff->figures[0], &diff->figures[diff->figure_count - 1]) ? "" :
	       tw_format("%s %s ", tw_diff_job(figure)->name,
			 tw_direction_names[figure->direction]);
}

/* Return the figure to be told: of those that became slower (@slower 1), faster (-1), or
 * whichever (0), a mean before IOPS before a percentile, and of these the one that changed
 * most. NULL: there is none. */
static const struct tw_diff_figure *most_changed(const struct tw_diff *diff, int slower)
{
	static const int rank[] = { [TW_DIFF_MEAN] = 3, [TW_DIFF_IOPS] = 2,
				    [TW_DIFF_PERCENTILE] = 1 };
	const struct tw_diff_figure *most = NULL;

	for (size_t i = 0; i < diff->figure_count; i++) {
		const struct tw_diff_figure *is = &diff->figures[i];
		int before;

		if (!tw_diff_is_judged(is) || !is->slower || is->slower == -slower)
			continue;
		before = most ? rank[is->kind] - rank[most->kind] : 1;
		if (before > 0 || (!before && fabs(is->change.change) >
					      fabs(most->change.change) * (1 + 1e-9)))
			most = is;
	}
	return most;
}

/* Add "lat mean +4.9 % (+4.5 to +5.4)". */
static void tell(struct tw_page *page, const struct tw_diff *diff,
		 const struct tw_diff_figure *figure)
{
	const char *interval = interval_text(figure);

	tw_page_more(page, "%s%s %s%s%s", part_name(diff, figure), figure->name,
		     change_text(figure), *interval ? " " : "", interval);
}

static int is_too_few(const struct tw_diff *diff)
{
	return diff->of[TW_DIFF_A] < TW_DIFF_FEWEST_RUNS ||
	       diff->of[TW_DIFF_B] < TW_DIFF_FEWEST_RUNS;
}

/* Add why there is no verdict, and what these runs had. */
static void add_no_verdict(struct tw_page *page, const struct tw_diff *diff)
{
	const struct tw_diff_figure *differs = most_changed(diff, 0), *most = NULL;
	const char *text;

	if (!diff->figure_count) {
		tw_page_paragraph(page, "No verdict: waits are not tested. Time waited: %s in A, "
				  "%s in B.", TW_SAY_NS(diff->waits[0].ns[TW_DIFF_A]),
				  TW_SAY_NS(diff->waits[0].ns[TW_DIFF_B]));
		return;
	}
	if (diff->count == 2)
		tw_page_paragraph(page, "One run each: no verdict. ");
	else if (is_too_few(diff))
		tw_page_paragraph(page, "%zu of A, %zu of B: no verdict. ", diff->of[TW_DIFF_A],
				  diff->of[TW_DIFF_B]);
	else
		tw_page_paragraph(page, "A and B did not take turns: no verdict. ");
	if (differs) {
		tw_page_more(page, "These runs differ: ");
		tell(page, diff, differs);
		tw_page_more(page, ".");
		return;
	}
	for (size_t i = 0; i < diff->figure_count; i++)
		if (diff->figures[i].kind == TW_DIFF_MEAN && tw_diff_is_judged(&diff->figures[i]) &&
		    (!most || fabs(diff->figures[i].change.change) > fabs(most->change.change)))
			most = &diff->figures[i];
	if (!most)
		return;
	text = change_text(most);
	tw_page_more(page, "B's %smean was %s%s this time.", part_name(diff, most),
		     *text == '0' ? "the same" : &text[1],
		     *text == '0' ? "" : *text == '-' ? " shorter" : " longer");
}

static void add_headline(struct tw_page *page, const struct tw_diff *diff)
{
	const char *beyond = diff->threshold > 1 ? tw_format(" by more than %g %%",
				(diff->threshold - 1) * 100) : "";
	const int exit = tw_diff_verdicts[diff->verdict].exit;
	const struct tw_diff_figure *least = tw_diff_least_certain(diff);

	switch (diff->verdict) {
	case TW_DIFF_SAME:
		/* Rounded up. */
		tw_page_paragraph(page, "No change above %.1f %% in IOPS and lat mean.",
				  fmax(ceil((least ? tw_diff_possible(least) - 1 : 0) * 1000 -
					    1e-5), 1) / 10);
		break;
	case TW_DIFF_NOISY:
		if (!has_interval(&least->change)) {
			tw_page_paragraph(page, "Not sure.");
			break;
		}
		tw_page_paragraph(page, "Not sure: B is %s to %s %% in %s%s.",
				  value_text(least, least->change.low),
				  value_text(least, least->change.high),
				  part_name(diff, least), least->name);
		break;
	case TW_DIFF_FASTER:
	case TW_DIFF_SLOWER:
		tw_page_paragraph(page, "B is %s%s: ", tw_diff_verdicts[diff->verdict].name,
				  beyond);
		tell(page, diff, most_changed(diff, 0));
		tw_page_more(page, ".");
		break;
	case TW_DIFF_MIXED:
		tw_page_paragraph(page, "B is slower and faster%s: ", beyond);
		tell(page, diff, most_changed(diff, 1));
		tw_page_more(page, ", ");
		tell(page, diff, most_changed(diff, -1));
		tw_page_more(page, ".");
		break;
	case TW_DIFF_DIFFER:
	case TW_DIFF_UNDECIDED:
		add_no_verdict(page, diff);
		break;
	}
	tw_page_mark(page, exit == TW_EXIT_GOOD ? TW_MARK_GOOD :
		     exit == TW_EXIT_BAD_VERDICT ? TW_MARK_BAD : TW_MARK_UNDECIDED);
}

/* Return the figure whose interval is the widest; NULL: there is no interval. Of equal
 * figures take the first, whatever rounding does. */
static const struct tw_diff_figure *widest(const struct tw_diff *diff)
{
	const struct tw_diff_figure *worst = NULL;

	for (size_t i = 0; i < diff->figure_count; i++) {
		const struct tw_diff_figure *figure = &diff->figures[i];

		if (tw_diff_is_judged(figure) && has_interval(&figure->change) &&
		    (!worst || figure->change.high - figure->change.low >
			       (worst->change.high - worst->change.low) * (1 + 1e-9)))
			worst = figure;
	}
	return worst;
}

/* Name the stages that surely differ where the mean does not. */
static void add_sure_stages(struct tw_page *page, const struct tw_diff *diff)
{
	int is_told = 0, has_mean = 0;

	for (size_t i = 0; i < diff->figure_count; i++) {
		const struct tw_diff_figure *figure = &diff->figures[i];

		if (figure->kind == TW_DIFF_MEAN)
			has_mean = figure->slower;
		if (figure->kind != TW_DIFF_STAGE || !figure->slower || has_mean)
			continue;
		if (!is_told++)
			tw_page_remark(page, "Stages that surely changed");
		tw_page_more(page, "%s %s%s %s", is_told > 1 ? "," : ":",
			     part_name(diff, figure), figure->name, change_text(figure));
	}
	if (is_told)
		tw_page_more(page, ".");
}

/* Add how large a change could be that the test did not find, how many more runs would find one
 * that matters, and where the noise is. */
static void add_least_certain(struct tw_page *page, const struct tw_diff *diff)
{
	const int is_noisy = tw_diff_is_noisy(diff);
	const struct tw_diff_figure *least = diff->verdict == TW_DIFF_SAME ? widest(diff) :
		is_noisy || !tw_diff_is_decided(diff) ? tw_diff_least_certain(diff) : NULL;
	const struct tw_diff_figure *stage;
	double part, more;

	if (!least || !has_interval(&least->change))
		return;
	more = tw_diff_runs_for(diff, least, tw_diff_limit(diff)) - (double)diff->count / 2;
	tw_page_remark(page, "%s", diff->verdict == TW_DIFF_NOISY ? "" : "Least certain: ");
	if (diff->verdict != TW_DIFF_NOISY) {
		tell(page, diff, least);
		tw_page_more(page, ". ");
	}
	if (tw_diff_possible(least) > tw_diff_limit(diff))
		tw_page_more(page, "About %.0f more runs of each would show %g %%. ",
			     fmax(ceil(more), 1), (tw_diff_limit(diff) - 1) * 100);
	stage = tw_diff_noisiest(diff, least, &part);
	if (stage && diff->verdict != TW_DIFF_SAME)
		tw_page_more(page, "Most noise: %s, %.0f %% of lat's variance.", stage->name,
			     fmin(part, 1) * 100);
}

/* In text, with their values unless --all is given. Of more only the names. */
#define FEW	4

/* Add "iodepth: 8 in A, 16 in B; hipri: 1 in A, not given in B"; or the names alone. */
static void add_list(struct tw_page *page, const struct tw_diff_facts *facts, size_t with_values)
{
	for (size_t i = 0; i < facts->count; i++) {
		const struct tw_diff_fact *is = &facts->list[i];

		tw_page_more(page, "%s %s", i ? ";" : "", is->name);
		if (facts->count <= with_values)
			tw_page_more(page, ": %s in A, %s in B", is->is[TW_DIFF_A],
				     is->is[TW_DIFF_B]);
	}
}

static void add_facts(struct tw_page *page, const struct tw_diff *diff, int all)
{
	if (diff->options.count) {
		tw_page_paragraph(page, "Options that differ:");
		add_list(page, &diff->options, all ? SIZE_MAX : FEW);
	}
	if (diff->facts.count) {
		tw_page_warning(page, "A and B differ in this, too:");
		add_list(page, &diff->facts, SIZE_MAX);
	}
	if (diff->overlaps)
		tw_page_warning(page, "Runs of one host overlap in time: each is part of what "
				"the other measured.");
}

/* ---- the figures --------------------------------------------------------- */

/* Without --all, a row is for what changed, and for these; and for a stage whose change is at
 * least this part of the mean. */
#define STAGE_PART	0.05

static int is_shown(const struct tw_diff_figure *figure, double mean_ns)
{
	return figure->slower || figure->kind == TW_DIFF_IOPS || figure->kind == TW_DIFF_MEAN ||
	       !strcmp(figure->name, "p99") ||
	       (figure->kind == TW_DIFF_STAGE &&
		fabs(figure->change.change) >= STAGE_PART * mean_ns);
}

/* Add the mean of a side, and how much its values differ from run to run. */
static void add_side(struct tw_table *table, const struct tw_diff_figure *figure,
		     double value, double spread, size_t runs)
{
	double is = figure->is_log ? exp(value) : value;

	if (figure->kind == TW_DIFF_IOPS)
		tw_cell_number(table, is);
	else
		tw_cell_ns(table, is);
	if (figure->is_log && runs > 1)
		tw_cell_printf(table, "%.1f", percent_of(spread));
	else
		tw_cell_text(table, "");
}

static void add_figure(struct tw_table *table, const struct tw_diff *diff,
		       const struct tw_diff_figure *figure)
{
	static const char *const words[2][3] = {
		{ "shorter", "", "longer" }, { "faster", "", "slower" },
	};
	const struct tw_diff_change *is = &figure->change;

	tw_table_row(table);
	tw_cell_text(table, figure->name);
	add_side(table, figure, is->a, is->spread_a, diff->of[TW_DIFF_A]);
	add_side(table, figure, is->b, is->spread_b, diff->of[TW_DIFF_B]);
	tw_cell_text(table, change_text(figure));
	tw_cell_text(table, interval_text(figure));
	tw_cell_strong(table, words[figure->is_log][figure->slower + 1]);
}

/* Without values, a column is not shown. */
static struct tw_table *add_table(struct tw_page *page, const struct tw_diff *diff)
{
	const unsigned of_many = diff->count > 2 ? 0 : TW_IN_CSV;
	const unsigned of_intervals = has_interval(&diff->figures[0].change) ? 0 : TW_IN_CSV;
	const struct tw_column columns[] = {
		{ .heading = "", .width = 8, .flags = TW_COLUMN_LEFT },
		{ .heading = "A", .width = 7, .flags = TW_COLUMN_NARROW },
		{ .heading = "+-%", .width = 4, .media = of_many },
		{ .heading = "B", .width = 7, .flags = TW_COLUMN_NARROW },
		{ .heading = "+-%", .width = 4, .media = of_many },
		{ .heading = "change", .width = 9 },
		{ .heading = "interval", .flags = TW_COLUMN_LEFT, .media = of_intervals },
		{ .heading = "", .flags = TW_COLUMN_LEFT },
	};

	return tw_page_table(page, columns, TW_LENGTH(columns));
}

/* Return 1: rows were left out. */
static int add_figures(struct tw_page *page, const struct tw_diff *diff, unsigned with)
{
	struct tw_table *table = NULL;
	double mean_ns = 0;
	int is_less = 0;

	for (size_t i = 0; i < diff->figure_count; i++) {
		const struct tw_diff_figure *figure = &diff->figures[i];

		if (i == 0 || !tw_diff_is_of(figure, figure - 1)) {
			tw_page_heading(page, 2, "%s, %s", tw_diff_job(figure)->name,
					tw_direction_names[figure->direction]);
			if (with & TW_DIFF_WITH_PLOTS)
				tw_diff_add_plots(page, diff, figure);
			table = add_table(page, diff);
		}
		if (figure->kind == TW_DIFF_MEAN)
			mean_ns = exp(fmax(figure->change.a, figure->change.b));
		if (with & TW_DIFF_WITH_ALL || is_shown(figure, mean_ns))
			add_figure(table, diff, figure);
		else
			is_less = 1;
	}
	return is_less;
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

static void add_method(struct tw_page *page, const struct tw_diff *diff, int is_less)
{
	int has_call = 0, has_error = 0;

	tw_page_gap(page);
	tw_page_note(page, "Runs: %zu of A, %zu of B.", diff->of[TW_DIFF_A],
		     diff->of[TW_DIFF_B]);
	if (!diff->figure_count)
		return;
	if (diff->count > 2)
		tw_page_more(page, " +-%%: their standard deviation.");
	if (is_too_few(diff) || !diff->is_interleaved)
		tw_page_more(page, " A verdict takes %d of each, in turn.", TW_DIFF_FEWEST_RUNS);
	if (!tw_diff_can_show(diff->of[TW_DIFF_A], diff->of[TW_DIFF_B], diff->level))
		tw_page_more(page, " So few can't show a difference at %g %%.",
			     100 * diff->level);
	if (has_interval(&diff->figures[0].change))
		tw_page_more(page, " Intervals: %g %% each; a false alarm anywhere on the page: "
			     "at most %g %%.", 100 - 100 * diff->level, 100 * diff->level);
	for (size_t i = 0; i < diff->figure_count; i++) {
		has_call |= diff->figures[i].kind == TW_DIFF_CALL;
		has_error |= diff->figures[i].error_ns > 0;
	}
	if (has_error)
		tw_page_more(page, " +-: at 95 %%, by sampling.");
	tw_page_more(page, " Stages are parts of lat mean%s.", is_less ? "; more: diff --all" :
		     has_call ? "; the submitting call overlaps them" : "");
}

/* The title names the jobs that are compared. */
static struct tw_page *new_page(const struct tw_diff *diff)
{
	const struct tw_report_group **list = NULL;
	struct tw_page *page;
	size_t count = 0;

	for (size_t i = 0; i < diff->count; i++)
		for (size_t j = 0; j < diff->runs[i].count; j++)
			*tw_grow_by_one(list, count) = diff->runs[i].groups[j];
	page = tw_page_new(tw_format("A and B: %s", tw_report_title(list, count)));
	return page;
}

struct tw_page *tw_diff_page(const struct tw_diff *diff, unsigned with)
{
	struct tw_page *page = new_page(diff);
	int is_less;

	add_headline(page, diff);
	if (with & TW_DIFF_WITH_PLOTS)
		tw_diff_add_bars(page, diff);
	add_sure_stages(page, diff);
	add_least_certain(page, diff);
	add_facts(page, diff, with & TW_DIFF_WITH_ALL);
	is_less = add_figures(page, diff, with);
	tw_diff_add_waits(page, diff, with & TW_DIFF_WITH_ALL);
	add_left_out(page, diff);
	add_method(page, diff, is_less);
	return page;
}
