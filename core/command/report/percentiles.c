/* SPDX-License-Identifier: MIT */
/*
 * Writes percentile files, as HdrHistogram's outputPercentileDistribution()
 * writes and its plotter reads them. Values are in microseconds with three
 * decimals, so no nanosecond is lost. There is a line for each bin that is not
 * empty, with the bin's upper edge. No percentile between bins is interpolated.
 */
#include <stdio.h>
#include <string.h>

#include "command/command.h"
#include "base/allocate.h"
#include "base/write_file.h"
#include "command/report/percentiles.h"
#include "latency/histogram.h"
#include "report/want.h"

/* Length of a job's name in a file's name. */
#define MAX_NAME	100

static void write_line(FILE *file, uint64_t value_ns, uint64_t below,
		       uint64_t count)
{
	double part = (double)below / (double)count;

	fprintf(file, "%12.3f %2.12f %10llu", (double)value_ns / 1e3, part,
		(unsigned long long)below);
	/* The last line has no such value, which would be infinite. */
	if (below < count)
		fprintf(file, " %14.2f",
			(double)count / (double)(count - below));
	fputc('\n', file);
}

static void write_bins(FILE *file, const struct tw_histogram *histogram)
{
	uint32_t bin = tw__histogram_bin(histogram, histogram->min_ns);
	uint32_t last = tw__histogram_bin(histogram, histogram->max_ns);
	uint64_t below = 0;

	fprintf(file, "%12.3f %2.12f %10u %14.2f\n",
		(double)histogram->min_ns / 1e3, 0.0, 1U, 1.0);
	for (; bin <= last; bin++) {
		uint64_t high_ns = tw_histogram_bin_high(histogram, bin);

		if (histogram->bins[bin] == 0)
			continue;
		below += histogram->bins[bin];
		write_line(file, bin == last ? histogram->max_ns : high_ns,
			   below, histogram->count);
	}
}

static int write_file(FILE *file, const void *context)
{
	const struct tw_histogram *histogram = context;

	fprintf(file, "%12s %14s %10s %14s\n\n", "Value", "Percentile",
		"TotalCount", "1/(1-Percentile)");
	write_bins(file, histogram);
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

static int write_path(const char *path, const struct tw_histogram *histogram,
		      struct tw_report_problem *problem)
{
	int error = tw_must(tw_output_file(path, write_file, histogram));

	if (!error)
		return TW_EXIT_GOOD;
	tw_report_refuse(problem, "can't write %s: %s", path, tw_file_error(-error));
	return TW_EXIT_IO;
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

/* Write the files of a group. Its number is in their names only if there are
 * several groups, whose jobs can have the same name. @number is 0 if there is
 * one group. */
static int write_group(const struct tw_report_group *group, size_t number,
		       const char *prefix, struct tw_report_problem *problem)
{
	char name[MAX_NAME + 1], which[24] = "";
	int code = TW_EXIT_GOOD;

	plain_name(name, group->all.jobs[0].name);
	if (number)
		snprintf(which, sizeof(which), ".%zu", number);
	for (int i = 0; i < TW_TIMES * TW_DIRECTIONS; i++) {
		int time = i / TW_DIRECTIONS;
		int direction = i % TW_DIRECTIONS;
		const struct tw_histogram *histogram =
			&group->all.tally.times[time][direction];

		if (histogram->count == 0 || code != TW_EXIT_GOOD)
			continue;
		code = write_path(tw_format("%s%s%s.%s.%s.hgrm", prefix, name, which,
					    tw_direction_names[direction],
					    tw_time_rows[time].name), histogram, problem);
	}
	return code;
}

int tw_report_write_percentiles(const struct tw_report_group *groups,
				size_t count, const char *prefix,
				struct tw_report_problem *problem)
{
	int code = TW_EXIT_GOOD;

	for (size_t i = 0; i < count && code == TW_EXIT_GOOD; i++)
		code = write_group(&groups[i], count > 1 ? i + 1 : 0, prefix,
				   problem);
	return code;
}
