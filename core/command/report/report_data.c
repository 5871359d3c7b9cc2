/* SPDX-License-Identifier: MIT */
/*
 * Writes reports for programs: the table of --csv, and the files of --percentiles.
 *
 * The table has a line for each stage of each direction of a group, and for lat. Its columns
 * have the names of the JSON keys where there are such keys. The line of lat also has all
 * counts of the direction.
 *
 * A file of percentiles is as HdrHistogram's outputPercentileDistribution() writes and its
 * plotter reads it. Values are in microseconds with three decimals, so no nanosecond is lost.
 * There is a line for each bin that is not empty, with the bin's upper edge. No percentile
 * between bins is interpolated.
 */
#include <stdio.h>
#include <string.h>

#include "command/report/report_parts.h"
#include "base/allocate.h"
#include "base/write_file.h"
#include "command/command.h"
#include "latency/histogram.h"

static const double percents[] = { 50, 90, 99, 99.9, 99.99 };

static const struct tw_column columns[] = {
	{ .heading = "job" }, { .heading = "groupid" }, { .heading = "host" },
	{ .heading = "run" },
	{ .heading = "direction" }, { .heading = "stage" }, { .heading = "ios" },
	{ .heading = "iops" }, { .heading = "bytes_per_second" },
	{ .heading = "min_ns" }, { .heading = "mean_ns" }, { .heading = "stddev_ns" },
	{ .heading = "p50_ns" }, { .heading = "p90_ns" }, { .heading = "p99_ns" },
	{ .heading = "p99.9_ns" }, { .heading = "p99.99_ns" }, { .heading = "max_ns" },
};

/* Add a count, per second of the longest job if @is_rate; nothing if it is not known, or
 * for a stage. */
static void add_count(struct tw_table *table, const struct tw_report_group *group,
		      size_t metric, int time, int direction, int is_rate)
{
	const uint64_t count = group->all.tally.counts[direction].at[metric];

	if (time != TW_LAT || !tw_has(&group->all.tally, (unsigned)metric) ||
	    !(tw_count_metrics[metric].directions >> direction & 1) || (is_rate && !group->run_ns))
		tw_cell_none(table);
	else if (is_rate)
		tw_cell_printf(table, "%.12g", (double)count * 1e9 / (double)group->run_ns);
	else
		tw_cell_u64(table, count);
}

static void add_line(struct tw_table *table, const struct tw_report_group *group,
		     int time, int direction)
{
	const struct tw_histogram *histogram = &group->all.tally.times[time][direction];
	const struct tw_report_job *job = &group->all.jobs[0];
	const double mean_ns = tw_tally_mean_ns(&group->all.tally, (unsigned)time, direction);

	/* `kernel` has a mean, even if no I/O was chosen to be split. The line of lat has the
	 * errors. */
	if (!histogram->count && !(mean_ns > 0) &&
	    (time != TW_LAT || !tw_report_shows_direction(group, direction)))
		return;
	tw_table_row(table);
	tw_cell_text(table, job->name);
	tw_cell_u64(table, job->groupid);
	tw_cell_text(table, job->host);
	tw_cell_text(table, job->run);
	tw_cell_text(table, tw_direction_names[direction]);
	tw_cell_text(table, tw_time_metrics[time].name);
	tw_cell_u64(table, tw_histogram_values(histogram));
	add_count(table, group, TW_METRIC_ios, time, direction, 1);
	add_count(table, group, TW_METRIC_bytes, time, direction, 1);
	tw_cell_u64(table, histogram->count ? histogram->min_ns : 0);
	tw_cell_printf(table, "%.9g", mean_ns);
	tw_cell_printf(table, "%.9g", tw_histogram_stddev_ns(histogram));
	for (size_t i = 0; i < TW_LENGTH(percents); i++)
		tw_report_add_percentile(table, histogram, (double)tw_histogram_values(histogram),
					 percents[i]);
	tw_cell_u64(table, histogram->max_ns);
	for (size_t i = TW_METRIC_ios + 1; i < TW_COUNTS; i++)
		add_count(table, group, i, time, direction, 0);
}

struct tw_table *tw_report_csv(struct tw_page *page, const struct tw_report_group *groups,
			       size_t count)
{
	struct tw_column all[TW_LENGTH(columns) + TW_COUNTS - 1];
	struct tw_table *table;

	memcpy(all, columns, sizeof(columns));
	for (size_t i = TW_METRIC_ios + 1; i < TW_COUNTS; i++)
		all[TW_LENGTH(columns) + i - 1] = (struct tw_column) {
			.heading = tw_count_metrics[i].path,
		};
	table = tw_page_table(page, all, TW_LENGTH(all));
	tw_page_only(page, TW_IN_CSV);
	for (size_t i = 0; i < count; i++)
		for (int direction = 0; direction < TW_DIRECTIONS; direction++)
			for (int time = 0; time < TW_TIMES; time++)
				add_line(table, &groups[i], time, direction);
	return table;
}

/* ---- percentiles -------------------------------------------------------- */

/* Length of a job's name in a file's name. */
#define MAX_NAME	100

static int write_file(FILE *file, const void *context)
{
	const struct tw_histogram *histogram = context;
	const double count = (double)histogram->count;
	uint32_t bin = tw__histogram_bin(histogram, histogram->min_ns);
	const uint32_t last = tw__histogram_bin(histogram, histogram->max_ns);
	uint64_t below = 0;

	fprintf(file, "%12s %14s %10s %14s\n\n", "Value", "Percentile",
		"TotalCount", "1/(1-Percentile)");
	fprintf(file, "%12.3f %2.12f %10u %14.2f\n",
		(double)histogram->min_ns / 1e3, 0.0, 1U, 1.0);
	for (; bin <= last; bin++) {
		const uint64_t value_ns = bin == last ? histogram->max_ns :
					  tw_histogram_bin_high(histogram, bin);

		if (histogram->bins[bin] == 0)
			continue;
		below += histogram->bins[bin];
		fprintf(file, "%12.3f %2.12f %10llu", (double)value_ns / 1e3,
			(double)below / count, (unsigned long long)below);
		/* The last line has no such value, which would be infinite. */
		if (bin < last)
			fprintf(file, " %14.2f", count / (double)(histogram->count - below));
		fputc('\n', file);
	}
	fprintf(file, "#[Mean    = %12.3f, StdDeviation   = %12.3f]\n",
		tw_histogram_mean_ns(histogram) / 1e3,
		tw_histogram_stddev_ns(histogram) / 1e3);
	fprintf(file, "#[Max     = %12.3f, Total count    = %12llu]\n",
		(double)histogram->max_ns / 1e3,
		(unsigned long long)histogram->count);
	fprintf(file, "#[Buckets = %12u, SubBuckets     = %12u]\n",
		65U - histogram->bits, 1U << histogram->bits);
	fputs("#[Unit    = microseconds]\n", file);
	return 0;
}

/* Replace characters of a job's name that do not suit a file's name. */
static void plain_name(char *plain, const char *name)
{
	static const char good[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
		"-_+";
	size_t i;

	for (i = 0; i < MAX_NAME && name[i]; i++)
		plain[i] = strchr(good, name[i]) ? name[i] : '_';
	plain[i] = '\0';
}

/* The number of a group is in the names of its files only if there are several groups, whose
 * jobs can have the same name. */
int tw_report_write_percentiles(const struct tw_report_group *groups,
				size_t count, const char *prefix,
				struct tw_report_problem *problem)
{
	for (size_t i = 0; i < count * TW_TIMES * TW_DIRECTIONS; i++) {
		const size_t number = i / (TW_TIMES * TW_DIRECTIONS) + 1;
		const size_t time = i / TW_DIRECTIONS % TW_TIMES, direction = i % TW_DIRECTIONS;
		const struct tw_report *of = &groups[number - 1].all;
		char name[MAX_NAME + 1];
		const char *path;
		int error;

		if (of->tally.times[time][direction].count == 0)
			continue;
		plain_name(name, of->jobs[0].name);
		path = tw_format("%s%s%s.%s.%s.hgrm", prefix, name,
				 count > 1 ? tw_format(".%zu", number) : "",
				 tw_direction_names[direction], tw_time_metrics[time].name);
		error = tw_must(tw_output_file(path, write_file,
					       &of->tally.times[time][direction]));
		if (error) {
			tw_report_refuse(problem, "can't write %s: %s", path,
					 tw_file_error(-error));
			return TW_EXIT_IO;
		}
	}
	return TW_EXIT_GOOD;
}
