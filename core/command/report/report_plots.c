/* SPDX-License-Identifier: MIT */
/*
 * The plots of a direction: latency by percentile, over the time of the run I/Os, and lat
 * with its stalls, and bars of where the time of an I/O goes.
 */
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

	for (size_t i = 0; i < TW_LENGTH(marked); i++) {
		double ns = (double)tw_histogram_percentile(lat, marked[i]);
		double left = 1 - marked[i] / 100;
		struct tw_format_unit unit = tw_format_unit(ns);
		const char *value = "";

		/* The last digits of @left are rounded. */
		if (ios * left < 1 - 1e-6)
			break;
		/* "1.23 ms": no reader can read a plot more precisely. */
		if (NEARLY_ALL * ns >= last_ns)
			value = tw_format(ns < 999.5 * unit.ns ? "%.3g %s" : "%.0f %s",
					  ns / unit.ns, unit.name);
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
		const char *why;
		double s = tw_report_since_start(&group->all, tw_report_job_of(group, slow),
						 tw_report_u64(slow->json, "monotonic_ns"));

		if (s < 0 ||
		    strcmp(tw_report_string(slow->json, "ddir"), tw_direction_names[direction]))
			continue;
		why = tw_report_say_stall(stall);
		/* Where it ended. */
		s += (double)slow->lat_ns / 1e9;
		if (!series)
			series = tw_plot_line(plot, NULL, TW_PLOT_MAX);
		count++;
		tw_plot_tag(series, s, (double)slow->lat_ns, tw_format("%d", count),
			    "stall %d: lat %s", count, TW_SAY_NS(slow->lat_ns));
		tw_append_format(&text, "%s%d: %s in %s, %s%s%s.", count > 1 ? " " : "stalls: ",
				 count, TW_SAY_NS(stall->ns), stall->stage,
				 TW_SAY_COUNT(stall->ios, "I/O[s]"), why ? ": " : "",
				 why ? why : "");
	}
	if (count)
		tw_plot_caption(plot, text.bytes);
}

static void add_over_time(struct tw_page *page, const struct tw_report_group *group)
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

/* ---- where the time goes --------------------------------------------------- */

/* Percentiles of stages do not add up to the percentile of lat. So the bar of a percentile of lat
 * is divided like the I/Os in its slice of lat (latency/slices.h) and above it, as the sentence on
 * slow I/Os does. */

/* Add the parts of a stage that a sync took, which are as many as those of a sync. Return their
 * sum. */
static uint64_t add_sync_parts(struct tw_series *stack, const struct tw_tally *tally,
			       unsigned first, int direction, double scale)
{
	uint64_t sum_ns = 0;

	for (unsigned i = 0; i <= TW_SYNC_WAKE - TW_SYNC_WORKER; i++) {
		const uint64_t ns = tw_tally_stage_ns(tally, first + i, direction);

		if (ns)
			tw_plot_part(stack, tw_time_metrics[first + i].name,
				     tw_report_color_of((int)(TW_SYNC_WORKER + i)),
				     scale * (double)ns);
		sum_ns += ns;
	}
	return sum_ns;
}

void tw_report_add_stack(struct tw_series *stack, const struct tw_tally *tally,
			 int direction, double scale)
{
	for (int n = 0; n < TW_STAGES; n++) {
		const unsigned i = (unsigned)tw_stage_in_time(n);
		const uint64_t ns = tw_tally_stage_ns(tally, i, direction);
		uint64_t parts_ns = 0;

		if (i == TW_KERNEL)
			parts_ns = add_sync_parts(stack, tally, TW_SYNC_WORKER, direction, scale);
		else if (i == TW_COMPLETE && tw_report_has_write_sync(tally, direction))
			parts_ns = add_sync_parts(stack, tally, TW_COMPLETE_WORKER, direction,
						  scale);
		/* What no part has. */
		if (ns > parts_ns)
			tw_plot_part(stack, tw_time_metrics[i].name, tw_report_color_of((int)i),
				     scale * (double)(ns - parts_ns));
	}
}

/* A bar of a percentile begins at the edge of a bin of lat. It is left out if it has more I/Os
 * than this many times those above the percentile. */
#define MAX_BAR_RATIO	5

/* Add the bars of a direction. */
static void add_direction(struct tw_plot *plot, const struct tw_tally *tally, int direction)
{
	static const double bars[] = { 99, 99.9 };	/* percentiles */
	const struct tw_histogram *lat = &tally->times[TW_LAT][direction];
	const char *name = tw_direction_names[direction];
	struct tw_report_slice sum;
	struct tw_series *stack;

	tw_report_add_stack(tw_plot_stack(plot, "%s, mean: %s, of %s", name,
					  TW_SAY_NS(tw_histogram_mean_ns(lat)),
					  TW_SAY_COUNT(lat->count, "I/O[s]")),
			    tally, direction, 1);
	/* The parts of syncs are not known by lat. */
	if (tw_report_has_sync_parts(tally, direction))
		return;
	for (size_t i = 0; i < TW_LENGTH(bars); i++) {
		uint64_t all_ns = 0;

		/* Use the same condition as the table of stages. */
		if (!tw_has_percentile((double)lat->count, bars[i]) ||
		    !tw_report_slice_from(&sum, tally, direction, bars[i]) ||
		    (double)sum.ios > MAX_BAR_RATIO * (100 - bars[i]) / 100 * (double)lat->count)
			continue;
		/* One block would show nothing. */
		for (int j = 0; j < TW_STAGES; j++)
			all_ns += sum.sum_ns[j];
		if (all_ns - sum.sum_ns[TW_KERNEL] < all_ns / 100)
			continue;
		stack = tw_plot_stack(plot, "%s, from about p%g up: %s of %s and more", name,
				      bars[i], TW_SAY_COUNT(sum.ios, "I/O[s]"),
				      TW_SAY_NS(tw_lat_slice_low(sum.at)));
		for (int n = 0; n < TW_STAGES; n++) {
			const int j = tw_stage_in_time(n);

			if (sum.sum_ns[j])
				tw_plot_part(stack, tw_time_metrics[j].name, tw_report_color_of(j),
					     (double)sum.sum_ns[j]);
		}
	}
}

void tw_report_add_bars(struct tw_page *page, const struct tw_report_group *group)
{
	struct tw_plot *plot = NULL;

	add_over_time(page, group);
	for (int i = 0; i < TW_DIRECTIONS; i++) {
		/* Some stages alone would give too small a sum. */
		if (!tw_report_has_all_stages(&group->all.tally, i))
			continue;
		if (!plot)
			plot = tw_page_plot(page, .title = "Where the time of an I/O goes");
		add_direction(plot, &group->all.tally, i);
	}
}
