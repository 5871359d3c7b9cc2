/* SPDX-License-Identifier: MIT */
/*
 * Makes the table of --csv: a line for each stage of each direction of a group, and for
 * lat. Its columns have the names of the JSON keys where there are such keys.
 */
#include "command/report/csv.h"

#include "command/output/table.h"
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

/* Add a count per second of the longest job; nothing if it is not known. */
static void add_rate(struct tw_table *table, const struct tw_report_group *group,
		     enum tw_report_counts what, int direction)
{
	const struct tw_report_tally *tally = &group->tally;

	if (group->run_ns && !(tally->missing & 1U << what) &&
	    !(what == TW_REPORT_BYTES && direction == TW_REPORT_SYNC))
		tw_cell_printf(table, "%.9g", (double)tally->counts[what][direction] *
			       1e9 / (double)group->run_ns);
	else
		tw_cell_none(table);
}

static void add_rates(struct tw_table *table, const struct tw_report_group *group,
		      int time, int direction)
{
	if (time == TW_REPORT_LAT) {
		add_rate(table, group, TW_REPORT_IOS, direction);
		add_rate(table, group, TW_REPORT_BYTES, direction);
	} else {
		tw_cell_none(table);
		tw_cell_none(table);
	}
}

static void add_line(struct tw_table *table, const struct tw_report_group *group,
		     int time, int direction)
{
	const struct tw_histogram *histogram = &group->tally.times[time][direction];
	const struct tw_report_job *job = &group->members[0]->job;

	tw_table_row(table);
	tw_cell_text(table, job->name);
	tw_cell_u64(table, job->groupid);
	tw_cell_text(table, job->host);
	tw_cell_text(table, job->run);
	tw_cell_text(table, tw_report_directions[direction]);
	tw_cell_text(table, tw_report_times[time].name);
	tw_cell_u64(table, histogram->count);
	add_rates(table, group, time, direction);
	tw_cell_u64(table, histogram->min_ns);
	tw_cell_printf(table, "%.9g", tw_histogram_mean_ns(histogram));
	tw_cell_printf(table, "%.9g", tw_histogram_stddev_ns(histogram));
	for (size_t i = 0; i < PERCENTS; i++)
		tw_report_add_percentile(table, histogram, percents[i]);
	tw_cell_u64(table, histogram->max_ns);
}

struct tw_table *tw_report_csv(struct tw_page *page, const struct tw_report_group *groups,
			       size_t count)
{
	struct tw_table *table = tw_page_table(page, columns,
					       sizeof(columns) / sizeof(*columns));

	tw_page_only(page, TW_IN_CSV);
	for (size_t i = 0; i < count; i++)
		for (int direction = 0; direction < TW_REPORT_DIRECTIONS; direction++)
			for (int time = 0; time < TW_REPORT_TIMES; time++)
				if (groups[i].tally.times[time][direction].count)
					add_line(table, &groups[i], time, direction);
	return table;
}
