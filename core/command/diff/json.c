/* SPDX-License-Identifier: MIT */
/*
 * Makes one JSON object of a comparison; tickwise-diff(1) describes its keys.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "command/diff/diff.h"
#include "report/json_text.h"

static const char *const sides[TW_DIFF_SIDES] = { "a", "b" };

static json_t *runs_to_json(const struct tw_diff *diff)
{
	json_t *array = json_array();

	for (size_t i = 0; i < diff->count; i++) {
		const struct tw_report_job *job = diff->runs[i].job;
		char start[24];

		snprintf(start, sizeof(start), "%llu",
			 (unsigned long long)job->start_ns);
		json_array_append_new(array, json_pack(
			"{ss, so, so, ss}", "side", sides[diff->runs[i].side],
			"host", tw_json_text(job->host),
			"run", tw_json_text(job->run),
			"start", start));
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
	char text[32];

	snprintf(text, sizeof(text), "%.9g", value);
	return isfinite(value) ? json_real(strtod(text, NULL)) : json_null();
}

static json_t *values_to_json(const struct tw_diff *diff, size_t figure,
			      enum tw_diff_side side)
{
	const double *values = &diff->values[figure * diff->count];
	json_t *array = json_array();

	for (size_t i = 0; i < diff->count; i++)
		if (diff->runs[i].side == side)
			json_array_append_new(array, number(
				diff->figures[figure].is_log ? exp(values[i]) :
							       values[i]));
	return array;
}

/* Return the change: a factor if the values are logarithms; else a
 * difference. */
static json_t *change_to_json(const struct tw_diff_figure *figure, double change)
{
	return number(figure->is_log && isfinite(change) ? exp(change) : change);
}

const char *tw_diff_change_is(const struct tw_diff_figure *figure)
{
	return figure->is_log ? "factor" : "difference_ns";
}

double tw_diff_p(const struct tw_diff *diff, const struct tw_diff_figure *figure)
{
	/* If runs are cut, only figures that have pieces are tested. */
	if (figure->is_cut)
		return figure->of_pieces.p;
	return diff->pieces ? NAN : figure->change.p;
}

static json_t *figure_to_json(const struct tw_diff *diff, size_t i)
{
	const struct tw_diff_figure *figure = &diff->figures[i];
	const struct tw_diff_change *change = &figure->change;
	const struct tw_report_job *job = &figure->group->all.jobs[0];

	return json_pack(
		"{so, sI, ss, ss, ss, so, so, so, so, so, so, si}",
		"job", tw_json_text(job->name),
		"groupid", (json_int_t)job->groupid,
		"direction", tw_direction_names[figure->direction],
		"name", figure->name,
		"change_is", tw_diff_change_is(figure),
		"change", change_to_json(figure, change->change),
		"low", change_to_json(figure, change->low),
		"high", change_to_json(figure, change->high),
		"a", values_to_json(diff, i, TW_DIFF_A),
		"b", values_to_json(diff, i, TW_DIFF_B),
		"p", number(tw_diff_p(diff, figure)),
		"slower", figure->slower);
}

/* Return null if there is no verdict. */
static json_t *possible_to_json(const struct tw_diff *diff)
{
	const struct tw_diff_figure *least = tw_diff_least_certain(diff);
	int has = diff->verdict == TW_DIFF_SAME || diff->verdict == TW_DIFF_NOISY;

	return has && least ? number((tw_diff_possible(least) - 1) * 100) : json_null();
}

json_t *tw_diff_to_json(const struct tw_diff *diff)
{
	const size_t each = diff->pieces ? diff->pieces : 1;
	json_t *figures = json_array();

	for (size_t i = 0; i < diff->figure_count; i++)
		json_array_append_new(figures, figure_to_json(diff, i));
	return json_pack(
		"{ss, si, ss, so, so, sI, sI, sb, sb, so, so, so, so, sO}",
		"schema", "tickwise-diff",
		"version", 1,
		"verdict", tw_diff_verdict_name(diff->verdict),
		"threshold_percent", number((diff->threshold - 1) * 100),
		"possible_percent", possible_to_json(diff),
		"splits", (json_int_t)tw_diff_splits(diff->of[TW_DIFF_A] * each,
						     diff->of[TW_DIFF_B] * each),
		"pieces", (json_int_t)diff->pieces,
		"interleaved", diff->is_interleaved,
		"overlap", diff->overlaps,
		"runs", runs_to_json(diff),
		"options", facts_to_json(&diff->options),
		"differs", facts_to_json(&diff->facts),
		"figures", figures,
		"left_out", diff->left_out);
}
