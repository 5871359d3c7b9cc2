/* SPDX-License-Identifier: MIT */
/*
 * Draws lat over time as a heat map.
 */
#include <stdlib.h>

#include "base/allocate.h"
#include "command/output/page.h"
#include "command/report/over_time_plots.h"
#include "command/answers/heat.h"

static void add_cells(struct tw_plot *plot, const struct tw_report_heat *heat)
{
	double x[TW_WINDOWS_MOST + 1];
	uint64_t counts[TW_WINDOWS_MOST * TW_REPORT_HEAT_ROWS];

	for (size_t i = 0; i <= heat->columns; i++)
		x[i] = (double)heat->time_ns[i] / 1e9;
	for (size_t i = 0; i < heat->columns; i++)
		for (size_t j = 0; j < heat->rows; j++)
			counts[i * heat->rows + j] = heat->counts[i][j];
	tw_plot_heat(plot, &(struct tw_plot_heat) {
		.columns = heat->columns, .rows = heat->rows, .x = x,
		.y = heat->lat_ns, .counts = counts,
	});
}

void tw_report_add_heat(struct tw_page *page, const struct tw_report_group *group,
			int direction)
{
	struct tw_report_heat *heat = tw_malloc(sizeof(*heat));
	struct tw_plot *plot;

	if (tw_report_heat(heat, group, direction)) {
		plot = tw_page_plot(page, "Heat map of lat");
		tw_plot_x(plot, TW_PLOT_TIME, "time since the start of the run");
		tw_plot_y(plot, TW_PLOT_NS, "lat");
		add_cells(plot, heat);
		tw_report_mark_stalls(plot, group, direction);
	}
	free(heat);
}
