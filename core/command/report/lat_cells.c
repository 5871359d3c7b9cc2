/* SPDX-License-Identifier: MIT */
/*
 * Adds figures of a histogram to a table: see lat_cells.h.
 */
#include "command/report/lat_cells.h"

static const double percents[] = { 50, 99, 99.9 };

#define PERCENTS	(sizeof(percents) / sizeof(*percents))

void tw_report_add_percentile(struct tw_table *table, const struct tw_histogram *histogram,
			      double percent)
{
	if (tw_histogram_has_percentile(histogram, percent))
		tw_cell_ns(table, (double)tw_histogram_percentile(histogram, percent));
	else
		tw_cell_none(table);
}

void tw_report_add_lat(struct tw_table *table, const struct tw_histogram *lat)
{
	if (lat->count)
		tw_cell_ns(table, tw_histogram_mean_ns(lat));
	else
		tw_cell_none(table);
	for (size_t i = 0; i < PERCENTS; i++)
		tw_report_add_percentile(table, lat, percents[i]);
	if (lat->count)
		tw_cell_ns(table, (double)lat->max_ns);
	else
		tw_cell_none(table);
}
