/* SPDX-License-Identifier: MIT */
/*
 * Makes the table of --csv: a line for each stage of each direction of a group, and for
 * lat. Its columns have the names of the JSON keys where there are such keys. The line of
 * lat also has all counts of the direction.
 */
#include "command/report/csv.h"

#include <string.h>

#include "command/output/page.h"
#include "command/report/lat_cells.h"

static const double percents[] = { 50, 90, 99, 99.9, 99.99 };

#define PERCENTS	(sizeof(percents) / sizeof(*percents))

static const struct tw_column columns[] = {
	{ .heading = "job" }, { .heading = "groupid" }, { .heading = "host" },
	{ .heading = "run" },
	{ .heading = "direction" }, { .heading = "stage" }, { .heading = "ios" },
	{ .heading = "iops" }, { .heading = "bytes_per_second" },
	{ .heading = "min_ns" }, { .heading = "mean_ns" }, { .heading = "stddev_ns" },
	{ .heading = "p50_ns" }, { .heading = "p90_ns" }, { .heading = "p99_ns" },
	{ .heading = "p99.9_ns" }, { .heading = "p99.99_ns" }, { .heading = "max_ns" },
};

#define COLUMNS		(sizeof(columns) / sizeof(*columns))

/* Is this count known, and one of this direction? */
static int has(const struct tw_report_group *group, size_t row, int direction)
{
	return tw_has(&group->all.tally, (unsigned)row) &&
	       tw_count_rows[row].directions >> direction & 1;
}

/* Add a count per second of the longest job; nothing if it is not known. */
static void add_rate(struct tw_table *table, const struct tw_report_group *group,
		     size_t row, int direction)
{
	const struct tw_counts *counts = &group->all.tally.counts[direction];

	if (group->run_ns && has(group, row, direction))
		tw_cell_printf(table, "%.9g", (double)tw_count_of(counts, row) * 1e9 /
			       (double)group->run_ns);
	else
		tw_cell_none(table);
}

static void add_rates(struct tw_table *table, const struct tw_report_group *group,
		      int time, int direction)
{
	if (time == TW_LAT) {
		add_rate(table, group, TW_ROW_ios, direction);
		add_rate(table, group, TW_ROW_bytes, direction);
	} else {
		tw_cell_none(table);
		tw_cell_none(table);
	}
}

/* Add the other counts, which are not of a stage. */
static void add_counts(struct tw_table *table, const struct tw_report_group *group,
		       int time, int direction)
{
	for (size_t i = TW_ROW_ios + 1; i < TW_COUNTS; i++)
		if (time == TW_LAT && has(group, i, direction))
			tw_cell_u64(table, tw_count_of(
				&group->all.tally.counts[direction], i));
		else
			tw_cell_none(table);
}

static void add_line(struct tw_table *table, const struct tw_report_group *group,
		     int time, int direction)
{
	const struct tw_histogram *histogram = &group->all.tally.times[time][direction];
	const struct tw_report_job *job = &group->all.jobs[0];

	tw_table_row(table);
	tw_cell_text(table, job->name);
	tw_cell_u64(table, job->groupid);
	tw_cell_text(table, job->host);
	tw_cell_text(table, job->run);
	tw_cell_text(table, tw_direction_names[direction]);
	tw_cell_text(table, tw_time_rows[time].name);
	tw_cell_u64(table, histogram->count);
	add_rates(table, group, time, direction);
	tw_cell_u64(table, histogram->min_ns);
	tw_cell_printf(table, "%.9g", tw_histogram_mean_ns(histogram));
	tw_cell_printf(table, "%.9g", tw_histogram_stddev_ns(histogram));
	for (size_t i = 0; i < PERCENTS; i++)
		tw_report_add_percentile(table, histogram, percents[i]);
	tw_cell_u64(table, histogram->max_ns);
	add_counts(table, group, time, direction);
}

struct tw_table *tw_report_csv(struct tw_page *page, const struct tw_report_group *groups,
			       size_t count)
{
	struct tw_column all[COLUMNS + TW_COUNTS - 1];
	struct tw_table *table;

	memcpy(all, columns, sizeof(columns));
	for (size_t i = TW_ROW_ios + 1; i < TW_COUNTS; i++)
		all[COLUMNS + i - 1] = (struct tw_column) {
			.heading = tw_count_rows[i].path,
		};
	table = tw_page_table(page, all, sizeof(all) / sizeof(*all));
	tw_page_only(page, TW_IN_CSV);
	for (size_t i = 0; i < count; i++)
		for (int direction = 0; direction < TW_DIRECTIONS; direction++)
			for (int time = 0; time < TW_TIMES; time++)
				if (groups[i].all.tally.times[time][direction].count)
					add_line(table, &groups[i], time, direction);
	return table;
}
