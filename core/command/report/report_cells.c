/* SPDX-License-Identifier: MIT */
/*
 * What the parts of a report's page share: cells of a histogram, and what there is to show.
 */
#include "command/report/report_parts.h"
#include "latency/histogram.h"

void tw_report_add_percentile(struct tw_table *table, const struct tw_histogram *histogram,
			      double ios, double percent)
{
	const int has = tw_has_percentile(ios, percent);

	tw_report_add_ns(table, has, has ?
			 (double)tw_histogram_percentile(histogram, percent) : 0);
}

void tw_report_add_lat(struct tw_table *table, const struct tw_histogram *lat, double ios)
{
	tw_report_add_ns(table, lat->count != 0, tw_histogram_mean_ns(lat));
	tw_report_add_percentile(table, lat, ios, 50);
	tw_report_add_percentile(table, lat, ios, 99);
	tw_report_add_percentile(table, lat, ios, 99.9);
	tw_report_add_ns(table, lat->count != 0, (double)lat->max_ns);
}

int tw_report_has_times(const struct tw_tally *tally, int direction)
{
	for (int i = 0; i < TW_REPORT_ROWS; i++)
		if (tally->times[i][direction].count)
			return 1;
	return 0;
}

int tw_report_shows_direction(const struct tw_report_group *group, int direction)
{
	const struct tw_counts *counts = &group->all.tally.counts[direction];

	for (size_t i = 0; i < TW_COUNTS; i++)
		if (tw_count_metrics[i].show > TW_AMONG && counts->at[i])
			return 1;
	return counts->ios || tw_report_has_times(&group->all.tally, direction);
}
