/* SPDX-License-Identifier: MIT */
/*
 * The plots of a direction: latency by percentile, and over the time of the run I/Os, and lat
 * with its stalls.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "command/report/report_parts.h"
#include "base/allocate.h"
#include "latency/histogram.h"

/* ---- latency by percentile ------------------------------------------------ */

static const double marked[] = { 50, 90, 99, 99.9, 99.99, 99.999 };

/* Return 1 / (1 - part) for the part of I/Os that is at or below a value; for
 * the last value as if one I/O was above it. */
static double tail(uint64_t below, uint64_t count)
{
	return (double)count / (double)(below < count ? count - below : 1);
}

static void add_bins(struct tw_series *series, const struct tw_histogram *histogram)
{
	uint32_t bin = tw__histogram_bin(histogram, histogram->min_ns);
	uint32_t last = tw__histogram_bin(histogram, histogram->max_ns);
	uint64_t below = 0;

	for (; bin <= last; bin++) {
		double ns = (double)tw_histogram_bin_high(histogram, bin);

		if (histogram->bins[bin] == 0)
			continue;
		if (bin == last)
			ns = (double)histogram->max_ns;
		tw_plot_point(series, tail(below, histogram->count), ns);
		below += histogram->bins[bin];
		tw_plot_point(series, tail(below, histogram->count), ns);
	}
}

/* Values of at least this part of the one before are on the same line. */
#define NEARLY_ALL	0.95

/* Add marks at percentiles, with their values next to them where the line rises. */
static void add_marks(struct tw_series *series, const struct tw_histogram *lat)
{
	const double ios = (double)tw_histogram_values(lat);
	double last_ns = 0;

	for (size_t i = 0; i < sizeof(marked) / sizeof(*marked); i++) {
		double ns = (double)tw_histogram_percentile(lat, marked[i]);
		double left = 1 - marked[i] / 100;
		struct tw_format_unit unit = tw_format_unit(ns);
		char value[TW_FORMAT_SIZE] = "";

		/* The last digits of @left are rounded. */
		if (ios * left < 1 - 1e-6)
			break;
		/* "1.23 ms": no reader can read a plot more precisely. */
		if (NEARLY_ALL * ns >= last_ns)
			snprintf(value, sizeof(value), ns < 1000 * unit.ns ? "%.3g %s" :
				 "%.0f %s", ns / unit.ns, unit.name);
		last_ns = ns;
		tw_plot_tag(series, 1 / left, ns, value, "lat: p%g = %s, of %llu I/Os",
			    marked[i], TW_SAY_NS(ns), (unsigned long long)ios);
	}
}

void tw_report_add_percentiles(struct tw_page *page, const struct tw_tally *tally,
			       int direction)
{
	struct tw_plot *plot = tw_page_plot(page, .title = "Latency by percentile",
		.x = { TW_PLOT_TAIL, "percentile of I/Os, %" }, .y = { TW_PLOT_NS, "latency" });

	for (int i = 0; i < TW_TIMES; i++) {
		const struct tw_histogram *histogram = &tally->times[i][direction];
		struct tw_series *series;

		if (!tw_report_is_drawn(tally, (unsigned)i, direction))
			continue;
		series = tw_plot_line(plot, tw_time_metrics[i].name, tw_report_color_of(i));
		add_bins(series, histogram);
		if (i == TW_LAT)
			add_marks(series, histogram);
	}
}

/* ---- over time ------------------------------------------------------------ */

static const struct tw_histogram *lat_of(const struct tw_report_group *group, uint32_t i,
					 int direction)
{
	return &tw_windows_get(&group->all.tally.over_time, i)->lat[direction];
}

/* Return how long a window is. */
static uint64_t over_ns(const struct tw_report_group *group, uint32_t i)
{
	return tw_report_window_ns(group, i + 1) - tw_report_window_ns(group, i);
}

/* Return the middle of a window, in seconds. */
static double middle_of(const struct tw_report_group *group, uint32_t i)
{
	return ((double)tw_report_window_ns(group, i) + (double)over_ns(group, i) / 2) / 1e9;
}

/* Add a plot over time. All of them end with the run. */
static struct tw_plot *add_timed(struct tw_page *page, const struct tw_report_group *group,
				 const char *title, enum tw_plot_unit unit, const char *label)
{
	return tw_page_plot(page, .title = title,
		.x = { TW_PLOT_TIME, "time since the start of the run" }, .y = { unit, label },
		.reaches_x = (double)tw_report_window_ns(group, tw_report_windows(group)) / 1e9);
}

/* Add mean, p99 and maximum of each window. If few windows have enough I/Os for a p99, a line
 * between these would be taken for the others'. */
static void add_latency_lines(struct tw_plot *plot, const struct tw_report_group *group,
			      int direction)
{
	struct tw_series *mean = tw_plot_line(plot, "mean", TW_PLOT_MEAN), *p99 = NULL, *max;
	uint32_t windows = 0, known = 0;

	for (uint32_t i = 0; i < tw_report_windows(group); i++) {
		windows += lat_of(group, i, direction)->count > 0;
		known += tw_has_percentile((double)lat_of(group, i, direction)->count, 99) != 0;
	}
	if (2 * known >= windows)
		p99 = tw_plot_line(plot, "p99", TW_PLOT_P99);
	max = tw_plot_line(plot, "max", TW_PLOT_MAX);
	for (uint32_t i = 0; i < tw_report_windows(group); i++) {
		const struct tw_histogram *lat = lat_of(group, i, direction);
		const double x = middle_of(group, i);

		if (!lat->max_ns)
			continue;
		tw_plot_point(mean, x, tw_histogram_mean_ns(lat));
		if (p99 && tw_has_percentile((double)lat->count, 99))
			tw_plot_point(p99, x, (double)tw_histogram_percentile(lat, 99));
		tw_plot_point(max, x, (double)lat->max_ns);
	}
}

static void add_rate(struct tw_page *page, const struct tw_report_group *group,
		     int direction)
{
	struct tw_plot *plot = add_timed(page, group, tw_format("%s: IOPS over time",
						tw_direction_names[direction]),
					TW_PLOT_NUMBER, "I/Os completed per second");
	struct tw_series *series = tw_plot_line(plot, NULL, TW_PLOT_MEAN);
	const uint32_t count = tw_report_windows(group);
	/* In a shorter window, at an end of the run, a few I/Os give any rate. It is in the
	 * sums of the tables. */
	const uint64_t least_ns = count > 1 ? group->all.tally.over_time.width_ns / 2 : 1;

	for (uint32_t i = 0; i < count; i++)
		if (over_ns(group, i) >= least_ns)
			tw_plot_point(series, middle_of(group, i),
				      (double)lat_of(group, i, direction)->count * 1e9 /
				      (double)over_ns(group, i));
}

/* ---- stalls ------------------------------------------------------------------ */

#define MAX_STALLS	5

/* Mark the longest stalls with numbers where the slowest I/O of each ended. The plot's
 * caption describes the causes. */
static void mark_stalls(struct tw_plot *plot, const struct tw_report_group *group,
			int direction)
{
	struct tw_series *series = NULL;
	struct tw_growing_text text = { .length = 0 };
	int count = 0;

	for (size_t i = 0; i < group->stall_count && count < MAX_STALLS; i++) {
		const struct tw_report_stall *stall = &group->stalls[i];
		const struct tw_report_slow *slow = stall->slowest;
		const struct tw_report_job *job = tw_report_job_of(group, slow);
		const char *why = tw_report_say_stall(stall);
		char number[16];
		double s;

		if (strcmp(tw_report_string(slow->json, "ddir"), tw_direction_names[direction]) ||
		    !tw_report_since_start(&s, job, tw_report_u64(slow->json,
								  "monotonic_ns")))
			continue;
		/* Where it ended, since the start of the first job. */
		s += (double)(slow->lat_ns + job->start_ns - group->all.jobs[0].start_ns) /
		     1e9;
		if (!series)
			series = tw_plot_line(plot, NULL, TW_PLOT_MAX);
		snprintf(number, sizeof(number), "%d", ++count);
		tw_plot_tag(series, s, (double)slow->lat_ns, number, "stall %d: lat %s",
			    count, TW_SAY_NS(slow->lat_ns));
		tw_append_format(&text, "%s%d: %s in %s, %s%s%s.", count > 1 ? " " : "stalls: ",
				 count, TW_SAY_NS(stall->ns), stall->stage,
				 TW_SAY_COUNT(stall->ios, "I/O[s]"), why ? ": " : "",
				 why ? why : "");
	}
	if (count)
		tw_plot_caption(plot, text.bytes);
}

/* ---- all ----------------------------------------------------------------- */

void tw_report_add_plots_over_time(struct tw_page *page, const struct tw_report_group *group)
{
	for (int i = 0; i < TW_DIRECTIONS; i++) {
		struct tw_plot *plot;

		if (!tw_report_has_windows(group, i))
			continue;
		add_rate(page, group, i);
		plot = add_timed(page, group, tw_format("%s: lat over time",
							tw_direction_names[i]), TW_PLOT_NS, "lat");
		add_latency_lines(plot, group, i);
		mark_stalls(plot, group, i);
	}
}
