/* SPDX-License-Identifier: MIT */
/*
 * Makes the table of --csv: a line for each figure. Its columns have the names of the
 * JSON keys; tickwise-diff(1) describes them.
 */
#include <math.h>

#include "command/diff/diff.h"
#include "command/output/page.h"

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

static void add_line(struct tw_table *table, const struct tw_diff *diff,
		     const struct tw_diff_figure *figure)
{
	const struct tw_diff_change *change = &figure->change;
	const struct tw_report_job *job = &figure->group->all.jobs[0];
	const int is_log = figure->is_log;

	tw_table_row(table);
	tw_cell_text(table, job->name);
	tw_cell_u64(table, job->groupid);
	tw_cell_text(table, tw_direction_names[figure->direction]);
	tw_cell_text(table, figure->name);
	add_number(table, change->a, is_log);
	add_number(table, change->b, is_log);
	tw_cell_text(table, tw_diff_change_is(figure));
	add_number(table, change->change, is_log);
	add_number(table, change->low, is_log);
	add_number(table, change->high, is_log);
	add_number(table, tw_diff_p(diff, figure), 0);
	tw_cell_i64(table, figure->slower);
}

struct tw_table *tw_diff_csv(struct tw_page *page, const struct tw_diff *diff)
{
	struct tw_table *table = tw_page_table(page, columns,
					       sizeof(columns) / sizeof(*columns));

	tw_page_only(page, TW_IN_CSV);
	for (size_t i = 0; i < diff->figure_count; i++)
		add_line(table, diff, &diff->figures[i]);
	return table;
}
