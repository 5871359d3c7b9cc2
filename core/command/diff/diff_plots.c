/* SPDX-License-Identifier: MIT */
/*
 * Makes the plots of a comparison, for HTML.
 */
#include <math.h>

#include "command/diff/diff.h"
#include "command/output/page.h"
#include "command/analysis/analysis.h"

static const char *const side_names[TW_DIFF_SIDES] = { "A", "B" };

#define POINTS		120
#define POINTS_A_DECADE	20

/* Add the percentiles of a side as a line: the geometric means over its
 * runs. */
static void add_line(struct tw_plot *plot, const struct tw_diff *diff,
		     const struct tw_diff_figure *figure, size_t side)
{
	static const int colors[TW_DIFF_SIDES] = { TW_PLOT_MEAN, TW_PLOT_P99 };
	struct tw_series *series = tw_plot_line(plot, side_names[side], colors[side]);

	for (int i = 0; i < POINTS; i++) {
		double tail = pow(10, (double)i / POINTS_A_DECADE), sum = 0;

		for (size_t j = 0; j < diff->count; j++) {
			const struct tw_histogram *lat = tw_diff_lat(diff, j, figure);
			double percent = 100 - 100 / tail;

			if (diff->runs[j].side != side)
				continue;
			if ((double)lat->count < tail)
				return;
			sum += log(fmax(tw_diff_percentile_ns(lat, percent), 1));
		}
		tw_plot_point(series, tail, exp(sum / (double)diff->of[side]));
	}
}

/* ---- the stages ----------------------------------------------------------- */

static void add_stack(struct tw_plot *plot, const struct tw_diff *diff,
		      const struct tw_diff_figure *first, size_t side)
{
	const struct tw_diff_figure *end = diff->figures + diff->figure_count;
	struct tw_series *stack = NULL;

	for (const struct tw_diff_figure *at = first; at < end && tw_diff_is_of(at, first);
	     at++) {
		double value = side == TW_DIFF_A ? at->change.a : at->change.b;

		if (at->kind == TW_DIFF_MEAN)
			stack = tw_plot_stack(plot, "%s, %s, %s: mean of lat %s",
					      tw_diff_job(at)->name,
					      tw_direction_names[at->direction],
					      side_names[side], TW_SAY_NS(exp(value)));
		else if (at->kind == TW_DIFF_STAGE && stack)
			tw_plot_part(stack, at->name, tw_report_color_of_name(at->name),
				     value);
	}
}

/* Add both sides of each job and direction with stages to one plot, to be compared. */
void tw_diff_add_bars(struct tw_page *page, const struct tw_diff *diff)
{
	struct tw_plot *plot = NULL;

	for (size_t i = 0; i < diff->figure_count; i++) {
		const struct tw_diff_figure *figure = &diff->figures[i];
		const struct tw_diff_figure *first = figure;

		/* At the first stage of each. */
		if (figure->kind != TW_DIFF_STAGE ||
		    (figure[-1].kind == TW_DIFF_STAGE && tw_diff_is_of(figure - 1, figure)))
			continue;
		while (first > diff->figures && tw_diff_is_of(first - 1, figure))
			first--;
		if (!plot)
			plot = tw_page_plot(page, .title = "Where the time of an I/O goes",
					    .has_same_scale = 1);
		for (size_t side = 0; side < TW_DIFF_SIDES; side++)
			add_stack(plot, diff, first, side);
	}
}

void tw_diff_add_plots(struct tw_page *page, const struct tw_diff *diff,
		       const struct tw_diff_figure *figure)
{
	struct tw_plot *plot = tw_page_plot(page, .title = "Latency by percentile",
		.x = { TW_PLOT_TAIL, "percentile of I/Os, %" }, .y = { TW_PLOT_NS, "latency" });

	for (size_t side = 0; side < TW_DIFF_SIDES; side++)
		add_line(plot, diff, figure, side);
}
