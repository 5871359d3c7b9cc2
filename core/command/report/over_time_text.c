/* SPDX-License-Identifier: MIT */
/*
 * The run over time as a short table for the terminal. Its data are files of
 * intervals, which have more (over_time_table.c), or else the reports. HTML has
 * plots (plots.c), and a folded table with the numbers.
 */
#include "command/output/table.h"
#include "command/report/page.h"
#include "command/reports/cells.h"
#include "command/reports/over_time.h"

/* Return the number of rows. The folded table in HTML has the intervals of the
 * plots. */
static size_t most_rows(unsigned medium)
{
	return medium == TW_IN_TEXT ? 12 : 60;
}

struct part {
	uint64_t from_ns, to_ns;
	struct tw_report_interval_of of;
};

static struct part part_of(const struct tw_report_over_time *over_time, size_t from,
			   size_t to, int direction)
{
	struct part part = { .from_ns = over_time->intervals[from].from_ns };
	for (size_t i = from; i < to; i++) {
		const struct tw_report_interval *at = &over_time->intervals[i];
		const struct tw_report_interval_of *of = &at->of[direction];
		uint64_t bound_ns;

		part.to_ns = at->from_ns + at->over_ns;
		part.of.count += of->count;
		part.of.sum_ns += of->sum_ns;
		if (of->max_ns > part.of.max_ns)
			part.of.max_ns = of->max_ns;
		bound_ns = to - from > 1 ? tw_report_p99_bound_ns(of) : of->p99_ns;
		if (bound_ns > part.of.p99_ns)
			part.of.p99_ns = bound_ns;
	}
	return part;
}

static void add_part(struct tw_table *table, const struct part *part)
{
	tw_cell_number(table, (double)part->of.count * 1e9 /
		       (double)(part->to_ns - part->from_ns));
	if (part->of.count == 0) {
		for (int i = 0; i < 3; i++)
			tw_cell_none(table);
		return;
	}
	tw_cell_ns(table, (double)part->of.sum_ns / (double)part->of.count);
	if (part->of.p99_ns)
		tw_cell_ns(table, (double)part->of.p99_ns);
	else
		tw_cell_none(table);
	tw_cell_ns(table, (double)part->of.max_ns);
}

static int has_ios(const struct tw_report_over_time *over_time, int direction)
{
	for (size_t i = 0; i < over_time->count; i++)
		if (over_time->intervals[i].of[direction].count)
			return 1;
	return 0;
}

/* The directions of a table. A line has room for two. */
struct pair {
	int directions[2];
	size_t count;
};

/* The percentile over several intervals or jobs is not known, but a bound
 * is. */
static struct tw_table *new_table(struct tw_page *page, const struct pair *pair,
				  int is_bound, unsigned medium)
{
	const struct tw_column first = { "from, s", .width = 8 };
	const struct tw_column of_each[] = {
		{ "IOPS", .width = 8 },
		{ "mean", .width = 7, .flags = TW_COLUMN_NARROW },
		{ is_bound ? "p99 <=" : "p99", .width = 7, .flags = TW_COLUMN_NARROW },
		{ "max", .width = 7, .flags = TW_COLUMN_NARROW },
	};
	const size_t each = sizeof(of_each) / sizeof(*of_each);
	struct tw_column columns[1 + 2 * sizeof(of_each) / sizeof(*of_each)] = { first };
	struct tw_table *table;

	for (size_t i = 0; i < pair->count * each; i++) {
		columns[1 + i] = of_each[i % each];
		columns[1 + i].group = tw_report_directions[pair->directions[i / each]];
	}
	table = tw_page_table(page, columns, 1 + pair->count * each);
	tw_page_only(page, medium);
	return table;
}

static void add_table(struct tw_page *page, const struct tw_report_group *group,
		      const struct pair *pair, unsigned medium)
{
	const struct tw_report_over_time *over_time = &group->over_time;
	const size_t most = most_rows(medium);
	const size_t in_a_row = (over_time->count + most - 1) / most;
	struct tw_table *table = new_table(page, pair, in_a_row > 1 || group->size > 1,
					   medium);

	for (size_t i = 0; i < over_time->count; i += in_a_row) {
		size_t end = i + in_a_row < over_time->count ? i + in_a_row :
							       over_time->count;

		tw_table_row(table);
		tw_cell_printf(table, "%.3f",
			       (double)over_time->intervals[i].from_ns / 1e9);
		for (size_t j = 0; j < pair->count; j++) {
			struct part part = part_of(over_time, i, end,
						   pair->directions[j]);

			add_part(table, &part);
		}
	}
}

static void add_tables(struct tw_page *page, const struct tw_report_group *group,
		       unsigned medium)
{
	struct pair pair = { .count = 0 };

	for (int i = 0; i < TW_REPORT_DIRECTIONS; i++) {
		if (has_ios(&group->over_time, i))
			pair.directions[pair.count++] = i;
		if (pair.count == 2 || (i + 1 == TW_REPORT_DIRECTIONS && pair.count)) {
			add_table(page, group, &pair, medium);
			pair.count = 0;
		}
	}
}

void tw_report_add_over_time(struct tw_page *page, const struct tw_report_group *group)
{
	if (group->cells && group->cells->count > 1) {
		tw_report_add_cells(page, group);
		return;
	}
	if (group->over_time_differs) {
		tw_page_gap(page);
		tw_page_paragraph(page, "The jobs' intervals over time differ: not shown.");
	}
	if (group->over_time.count < 2)
		return;
	tw_page_heading(page, 3, "over time");
	tw_page_only(page, TW_IN_TEXT);
	add_tables(page, group, TW_IN_TEXT);
	tw_page_details(page, "over time, from the start of each job");
	add_tables(page, group, TW_IN_HTML);
	tw_page_end_details(page);
}
