/* SPDX-License-Identifier: MIT */
/*
 * A comparison as plots, for HTML.
 */
#include <math.h>

#include "command/diff/diff.h"
#include "command/output/page.h"
#include "command/output/plot.h"

static const char *const side_names[TW_DIFF_SIDES] = { "A", "B" };

#define POINTS		120
#define POINTS_A_DECADE	20

/* The percentiles of a side as a line: the geometric means of its runs. */
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

void tw_diff_add_plots(struct tw_page *page, const struct tw_diff *diff,
		       const struct tw_diff_figure *figure)
{
	struct tw_plot *plot = tw_page_plot(page, "Latency by percentile");

	tw_plot_x(plot, TW_PLOT_TAIL, "percentile of I/Os, %");
	tw_plot_y(plot, TW_PLOT_NS, "latency");
	for (size_t side = 0; side < TW_DIFF_SIDES; side++)
		add_line(plot, diff, figure, side);
}
