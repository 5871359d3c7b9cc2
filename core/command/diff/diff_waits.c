/* SPDX-License-Identifier: MIT */
/*
 * Compares what the programs of both sides waited for (report/waits.h), by call and reason: means
 * of the runs. They are not tested: few runs have the same waits.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "command/diff/diff.h"
#include "command/output/page.h"
#include "report/waits.h"

#define MAX_IN_TEXT	9	/* with the sum */

static struct tw_diff_wait *row_of(struct tw_diff *diff, const char *call, const char *reason)
{
	struct tw_diff_wait *row;

	for (size_t i = 0; i < diff->wait_count; i++)
		if (!strcmp(diff->waits[i].call, call) && !strcmp(diff->waits[i].reason, reason))
			return &diff->waits[i];
	row = tw_grow_by_one(diff->waits, diff->wait_count);
	*row = (struct tw_diff_wait) { .call = call, .reason = reason };
	return row;
}

static void add(struct tw_diff *diff, enum tw_diff_side side, const struct tw_wait_row *from)
{
	const double waits = (double)from->time.count / (double)diff->of[side];
	const double ns = (double)from->time.sum_ns / (double)diff->of[side];
	const char *reason = from->text[TW_WAIT_REASON];
	struct tw_diff_wait *row;

	if (tw_wait_needs_function(reason))
		reason = tw_format("%s (%s)", reason, from->text[TW_WAIT_FUNCTION]);
	row = row_of(diff, from->text[TW_WAIT_CALL], reason);
	row->waits[side] += waits;
	row->ns[side] += ns;
	diff->waits->waits[side] += waits;
	diff->waits->ns[side] += ns;
}

static double change_of(const struct tw_diff_wait *row)
{
	return row->ns[TW_DIFF_B] - row->ns[TW_DIFF_A];
}

static int by_change(const void *left, const void *right)
{
	const struct tw_diff_wait *a = left, *b = right;

	return tw_compare_real(fabs(change_of(b)), fabs(change_of(a))) ?:
	       strcmp(a->call, b->call) ?: strcmp(a->reason, b->reason);
}

void tw_diff_find_waits(struct tw_diff *diff)
{
	row_of(diff, "all", "");
	for (size_t i = 0; i < diff->count; i++)
		for (size_t j = 0; j < diff->runs[i].count; j++) {
			const struct tw_waits *waits = diff->runs[i].groups[j]->all.waits;

			if (!waits) {
				diff->wait_count = 0;
				return;
			}
			for (size_t k = 0; k < waits->count; k++)
				add(diff, diff->runs[i].side, waits->rows[k]);
		}
	qsort(diff->waits + 1, diff->wait_count - 1, sizeof(*diff->waits), by_change);
}

void tw_diff_add_waits(struct tw_page *page, const struct tw_diff *diff, int all)
{
	static const struct tw_column columns[] = {
		{ "call", .width = 12, .flags = TW_COLUMN_LEFT },
		{ "waits A", .width = 7 }, { "waits B", .width = 7 },
		{ "time A", .width = 7, .flags = TW_COLUMN_NARROW },
		{ "time B", .width = 7, .flags = TW_COLUMN_NARROW },
		{ "share A", .width = 7 }, { "share B", .width = 7 },
		{ "change", .width = 9 },
		{ "reason", .width = 4, .flags = TW_COLUMN_BELOW },
	};
	struct tw_table *table;

	if (diff->wait_count < 2)
		return;
	tw_page_heading(page, 2, "waits of a run, by call and reason");
	table = tw_page_table(page, columns, TW_LENGTH(columns));
	if (!all)
		tw_table_limit(table, MAX_IN_TEXT, "diff --all, --html");
	for (size_t i = 0; i < diff->wait_count; i++) {
		const struct tw_diff_wait *row = &diff->waits[i], *sum = diff->waits;

		tw_table_row(table);
		tw_cell_text(table, row->call);
		for (int side = 0; side < TW_DIFF_SIDES; side++)
			tw_cell_fixed(table, row->waits[side], diff->count > 2);
		for (int side = 0; side < TW_DIFF_SIDES; side++)
			tw_cell_ns(table, row->ns[side]);
		for (int side = 0; side < TW_DIFF_SIDES; side++)
			tw_cell_percent(table, sum->ns[side] > 0 ? 100 * row->ns[side] /
						sum->ns[side] : 0, 0);
		tw_cell_printf(table, "%s%s", change_of(row) < 0 ? "-" : "+",
			       TW_SAY_NS(fabs(change_of(row))));
		tw_cell_text(table, row->reason);
	}
}
