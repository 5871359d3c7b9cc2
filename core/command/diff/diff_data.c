/* SPDX-License-Identifier: MIT */
/*
 * Makes one JSON object of a comparison, or a table for --csv with a line for each figure.
 * tickwise-diff(1) describes the keys.
 */
#include <math.h>
#include <stdlib.h>

#include "base/allocate.h"
#include "command/diff/diff.h"
#include "command/output/page.h"
#include "report/report_json.h"

static const char *const sides[TW_DIFF_SIDES] = { "a", "b" };

static json_t *runs_to_json(const struct tw_diff *diff)
{
	json_t *array = json_array();

	for (size_t i = 0; i < diff->count; i++) {
		const struct tw_report_job *job = diff->runs[i].job;

		json_array_append_new(array, json_pack(
			"{ss, so, so, ss}", "side", sides[diff->runs[i].side],
			"host", tw_json_text(job->host),
			"run", tw_json_text(job->run),
			"start", tw_format("%llu", (unsigned long long)job->start_ns)));
	}
	return array;
}

static json_t *facts_to_json(const struct tw_diff_facts *facts)
{
	json_t *array = json_array();

	for (size_t i = 0; i < facts->count; i++)
		json_array_append_new(array, json_pack(
			"{so, so, so}", "name", tw_json_text(facts->list[i].name),
			"a", tw_json_text(facts->list[i].is[TW_DIFF_A]),
			"b", tw_json_text(facts->list[i].is[TW_DIFF_B])));
	return array;
}

/* Return a number with 9 digits; further digits would depend on the machine's
 * logarithm. Return null for infinity, which JSON does not have. */
static json_t *number(double value)
{
	return isfinite(value) ? json_real(strtod(tw_format("%.9g", value), NULL)) : json_null();
}

/* Return a factor if the values are logarithms; else a difference. */
static json_t *change_to_json(const struct tw_diff_figure *figure, double change)
{
	return number(figure->is_log && isfinite(change) ? exp(change) : change);
}

static json_t *values_to_json(const struct tw_diff *diff, size_t figure,
			      enum tw_diff_side side)
{
	const double *values = &diff->values[figure * diff->count];
	json_t *array = json_array();

	for (size_t i = 0; i < diff->count; i++)
		if (diff->runs[i].side == side)
			json_array_append_new(array, change_to_json(
				&diff->figures[figure], values[i]));
	return array;
}

static const char *change_is(const struct tw_diff_figure *figure)
{
	return figure->is_log ? "factor" : "difference_ns";
}

static json_t *figure_to_json(const struct tw_diff *diff, size_t i)
{
	const struct tw_diff_figure *figure = &diff->figures[i];
	const struct tw_diff_change *change = &figure->change;
	const struct tw_report_job *job = tw_diff_job(figure);

	return json_pack(
		"{so, sI, ss, ss, ss, so, so, so, so, so, so, si}",
		"job", tw_json_text(job->name),
		"groupid", (json_int_t)job->groupid,
		"direction", tw_direction_names[figure->direction],
		"name", figure->name,
		"change_is", change_is(figure),
		"change", change_to_json(figure, change->change),
		"low", change_to_json(figure, change->low),
		"high", change_to_json(figure, change->high),
		"a", values_to_json(diff, i, TW_DIFF_A),
		"b", values_to_json(diff, i, TW_DIFF_B),
		"p", number(change->p),
		"slower", figure->slower);
}

/* Return NULL: not all runs have waits. */
static json_t *waits_to_json(const struct tw_diff *diff)
{
	json_t *array = diff->wait_count ? json_array() : NULL;

	for (size_t i = 1; i < diff->wait_count; i++) {
		const struct tw_diff_wait *row = &diff->waits[i];

		json_array_append_new(array, json_pack("{so, so, so, so, so, so}",
			"call", tw_json_text(row->call), "reason", tw_json_text(row->reason),
			"a_waits", number(row->waits[TW_DIFF_A]),
			"b_waits", number(row->waits[TW_DIFF_B]),
			"a_ns", number(row->ns[TW_DIFF_A]), "b_ns", number(row->ns[TW_DIFF_B])));
	}
	return array;
}

json_t *tw_diff_to_json(const struct tw_diff *diff)
{
	const struct tw_diff_figure *least = tw_diff_least_certain(diff);
	int has_possible = least && (diff->verdict == TW_DIFF_SAME ||
				     diff->verdict == TW_DIFF_NOISY);
	json_t *figures = json_array();

	for (size_t i = 0; i < diff->figure_count; i++)
		json_array_append_new(figures, figure_to_json(diff, i));
	return json_pack(
		"{ss, si, ss, so, so, sI, sb, sb, sb, so, so, so, so, so*, sO}",
		"schema", "tickwise-diff",
		"version", 1,
		"verdict", tw_diff_verdicts[diff->verdict].name,
		"threshold_percent", number((diff->threshold - 1) * 100),
		"possible_percent",
		number(has_possible ? (tw_diff_possible(least) - 1) * 100 : NAN),
		"splits", (json_int_t)tw_diff_splits(diff->of[TW_DIFF_A],
						     diff->of[TW_DIFF_B],
						     diff->are_pairs),
		"interleaved", diff->is_interleaved,
		"pairs", diff->are_pairs,
		"overlap", diff->overlaps,
		"runs", runs_to_json(diff),
		"options", facts_to_json(&diff->options),
		"differs", facts_to_json(&diff->facts),
		"figures", figures,
		"waits", waits_to_json(diff),
		"left_out", diff->left_out);
}

/* ---- CSV ---------------------------------------------------------------- */

static const struct tw_column columns[] = {
	{ .heading = "job" }, { .heading = "groupid" }, { .heading = "direction" },
	{ .heading = "name" }, { .heading = "a" }, { .heading = "b" },
	{ .heading = "change_is" }, { .heading = "change" }, { .heading = "low" },
	{ .heading = "high" }, { .heading = "p" }, { .heading = "slower" },
};

/* Add 9 digits, as in JSON; nothing if the value is not known. @is_log: it is a
 * logarithm. */
static void add_number(struct tw_table *table, double value, int is_log)
{
	if (isfinite(value))
		tw_cell_printf(table, "%.9g", is_log ? exp(value) : value);
	else
		tw_cell_none(table);
}

static void add_line(struct tw_table *table, const struct tw_diff_figure *figure)
{
	const struct tw_diff_change *change = &figure->change;
	const struct tw_report_job *job = tw_diff_job(figure);
	const int is_log = figure->is_log;

	tw_table_row(table);
	tw_cell_text(table, job->name);
	tw_cell_u64(table, job->groupid);
	tw_cell_text(table, tw_direction_names[figure->direction]);
	tw_cell_text(table, figure->name);
	add_number(table, change->a, is_log);
	add_number(table, change->b, is_log);
	tw_cell_text(table, change_is(figure));
	add_number(table, change->change, is_log);
	add_number(table, change->low, is_log);
	add_number(table, change->high, is_log);
	add_number(table, change->p, 0);
	tw_cell_i64(table, figure->slower);
}

struct tw_table *tw_diff_csv(struct tw_page *page, const struct tw_diff *diff)
{
	struct tw_table *table = tw_page_table(page, columns, TW_LENGTH(columns));

	tw_page_only(page, TW_IN_CSV);
	for (size_t i = 0; i < diff->figure_count; i++)
		add_line(table, &diff->figures[i]);
	return table;
}
