/* SPDX-License-Identifier: MIT */
/*
 * Shows where the time of an I/O goes. Percentiles of stages do
 * not add up to the percentile of lat. So the bar of a percentile of lat is divided like the I/Os
 * in its slice of lat (latency/slices.h) and above it, as the sentence on slow I/Os does.
 */
#include <stdio.h>

#include "command/report/report_parts.h"
#include "latency/histogram.h"

/* ---- bars ---------------------------------------------------------------- */

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
	for (unsigned i = 0; i < TW_STAGES; i++) {
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
	for (size_t i = 0; i < sizeof(bars) / sizeof(*bars); i++) {
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
		for (int j = 0; j < TW_STAGES; j++)
			if (sum.sum_ns[j])
				tw_plot_part(stack, tw_time_metrics[j].name, tw_report_color_of(j),
					     (double)sum.sum_ns[j]);
	}
}

void tw_report_add_bars(struct tw_page *page, const struct tw_report_group *group)
{
	struct tw_plot *plot = NULL;

	for (int i = 0; i < TW_DIRECTIONS; i++) {
		/* Some stages alone would give too small a sum. */
		if (!tw_report_has_all_stages(&group->all.tally, i))
			continue;
		if (!plot)
			plot = tw_page_plot(page, .title = "Where the time of an I/O goes");
		add_direction(plot, &group->all.tally, i);
	}
	tw_report_add_plots_over_time(page, group);
}

