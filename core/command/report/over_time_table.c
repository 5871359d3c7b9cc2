/* SPDX-License-Identifier: MIT */
/*
 * The run over time as a table with a few rows for each direction, from files
 * of intervals. Also describes the files of a group.
 */
#include <math.h>
#include <stdio.h>

#include "command/memory.h"
#include "command/output/format.h"
#include "command/output/table.h"
#include "command/report/lat_cells.h"
#include "command/report/page.h"
#include "command/reports/cells.h"
#include "command/reports/merge.h"
#include "command/reports/merge_intervals.h"

#define MAX_ROWS	20

/* ---- the table ------------------------------------------------------------ */

/* Return the number of cells in a row, so that there are at most MAX_ROWS
 * rows. */
static size_t cells_a_row(const struct tw_report_cells *cells)
{
	return (cells->count + MAX_ROWS - 1) / MAX_ROWS;
}

struct row {
	struct tw_report_cell cell;
	size_t end;			/* where the next row begins */
	int error;
};

/* Are the cells from @first on so short that a few I/Os would give any rate? */
static int is_rest(const struct tw_report_cells *cells, size_t first)
{
	const size_t step = cells_a_row(cells);

	return first < cells->count && first + step >= cells->count &&
	       cells->cells[cells->count - 1].to_ns - cells->cells[first].from_ns <
	       cells->width_ns * step / 2;
}

/* Make a row. The last row includes a short rest. */
static void make_row(struct row *row, const struct tw_report_cells *cells, size_t first)
{
	*row = (struct row) { .end = first + cells_a_row(cells) };
	if (row->end > cells->count || is_rest(cells, row->end))
		row->end = cells->count;
	for (size_t i = first; i < row->end && !row->error; i++)
		row->error = tw_report_cell_add(&row->cell, &cells->cells[i]);
}

static void add_rate(struct tw_table *table, const struct tw_report_cell *cell,
		     const struct tw_histogram *lat)
{
	if (cell->run_ns)
		tw_cell_number(table, (double)lat->count * 1e9 / (double)cell->run_ns);
	else
		tw_cell_none(table);
}

static void add_bad(struct tw_table *table, const struct tw_report_cell *cell,
		    int direction)
{
	char text[64] = "";

	if (cell->errors[direction])
		snprintf(text, sizeof(text), "%llu error%s%s",
			 (unsigned long long)cell->errors[direction],
			 cell->errors[direction] == 1 ? "" : "s",
			 cell->backwards ? ", " : "");
	tw_cell_printf(table, "%s%s", text, cell->backwards ? "bad stamps" : "");
}

static void add_row(struct tw_table *table, const struct tw_report_cell *cell,
		    int direction)
{
	const struct tw_histogram *lat = &cell->lat[direction];

	tw_table_row(table);
	tw_cell_ns(table, (double)cell->from_ns);
	tw_cell_ns(table, (double)(cell->to_ns - cell->from_ns));
	add_rate(table, cell, lat);
	tw_report_add_lat(table, lat);
	add_bad(table, cell, direction);
}

static void add_rows(struct tw_page *page, const struct tw_report_cells *cells,
		     int direction, unsigned medium)
{
	static const struct tw_column columns[] = {
		{ "from", .width = 10 }, { "over", .width = 7 },
		{ "IOPS", .width = 7 }, { "mean", .width = 7 },
		{ "p50", .width = 7 }, { "p99", .width = 7 }, { "p99.9", .width = 7 },
		{ "max", .width = 7 }, { "", .flags = TW_COLUMN_LEFT },
	};
	const struct tw_histogram *lat = NULL;
	struct tw_table *table;
	struct row row;

	table = tw_page_table(page, columns, sizeof(columns) / sizeof(*columns));
	tw_page_only(page, medium);
	for (size_t i = 0; i < cells->count; i = row.end) {
		make_row(&row, cells, i);
		if (row.error)
			tw_no_memory();
		else if (row.cell.to_ns > row.cell.from_ns)
			add_row(table, &row.cell, direction);
		tw_report_cell_free(&row.cell);
	}
	for (size_t i = 0; i < cells->count; i++)
		if (cells->cells[i].lat[direction].count)
			lat = &cells->cells[i].lat[direction];
	if (!lat)
		return;
	tw_page_remark(page, "percentiles are at most %g %% above here",
		       100 / pow(10, lat->digits));
	tw_page_only(page, medium);
}

/* Add the table. HTML folds it, since it also has plots, which some readers
 * can't see. */
static void add_table(struct tw_page *page, const struct tw_report_cells *cells,
		      int direction)
{
	static const char title[] = "%s over time, from the start of the first job";

	tw_page_heading(page, 3, title, tw_report_directions[direction]);
	tw_page_only(page, TW_IN_TEXT);
	add_rows(page, cells, direction, TW_IN_TEXT);
	tw_page_details(page, title, tw_report_directions[direction]);
	add_rows(page, cells, direction, TW_IN_HTML);
	tw_page_end_details(page);
}

void tw_report_add_cells(struct tw_page *page, const struct tw_report_group *group)
{
	for (int i = 0; i < TW_REPORT_DIRECTIONS; i++)
		if (tw_report_has_rows(group, i))
			add_table(page, group->cells, i);
}

/* ---- what the page is of -------------------------------------------------- */

void tw_report_add_empty(struct tw_page *page, const struct tw_report_group *group)
{
	const struct tw_report_job *job = &group->members[0]->job;
	char text[TW_FORMAT_SIZE];

	tw_page_paragraph(page, "%s, group %llu of %s: no interval is in the part of the "
			  "run that was asked for: ", job->name,
			  (unsigned long long)job->groupid, job->host);
	tw_page_more(page, "there are %s of the job",
		     tw_format_ns(text, (double)group->end_ns));
}

static void add_asked(struct tw_page *page, const struct tw_report_span *asked)
{
	char text[TW_FORMAT_SIZE];

	if (asked->from_ns)
		tw_page_more(page, "--from=%s",
			     tw_format_ns(text, (double)asked->from_ns));
	if (asked->to_ns != UINT64_MAX)
		tw_page_more(page, "%s--to=%s", asked->from_ns ? " " : "",
			     tw_format_ns(text, (double)asked->to_ns));
}

static void add_span(struct tw_page *page, const struct tw_report_group *group)
{
	char from[TW_FORMAT_SIZE], to[TW_FORMAT_SIZE];

	tw_page_remark(page, "a part of the run only: from %s to %s after the start of the "
		       "%sjob (", tw_format_ns(from, (double)group->span.from_ns),
		       tw_format_ns(to, (double)group->span.to_ns),
		       group->size > 1 ? "first " : "");
	add_asked(page, &group->asked);
	tw_page_more(page, ", rounded outward to whole intervals); the slowest I/Os of it "
		     "are not known");
}

void tw_report_add_intervals(struct tw_page *page, const struct tw_report_group *group)
{
	if (group->span.is_wanted)
		add_span(page, group);
	else if (tw_report_is_of_intervals(group))
		tw_page_remark(page, group->without_end ?
			       "the sum of the intervals of the run; they have no slowest "
			       "I/Os, clock errors or verdict on the counter" :
			       "the sum of the intervals of the run; the slowest I/Os, "
			       "the clocks and the verdict on the counter are in the "
			       "job's report");
	else if (group->without_report)
		tw_page_remark(page, "of %zu of %zu jobs there are intervals only",
			       group->without_report, group->size);
	if (!group->without_end)
		return;
	if (group->size == 1)
		tw_page_warning(page, "the job was killed, or still runs: what it did "
				"after its last interval is missing.");
	else
		tw_page_warning(page, "%zu of %zu jobs were killed, or still run: what they "
				"did after their last interval is missing.",
				group->without_end, group->size);
}
