/* SPDX-License-Identifier: MIT */
/*
 * Counts I/Os by lat and time: see heat.h.
 */
#include "command/answers/heat.h"

#include <math.h>
#include <string.h>

#include "command/answers/over_time.h"
#include "latency/histogram.h"

static const struct tw_histogram *lat_of(const struct tw_report_group *group, uint32_t i,
					 int direction)
{
	return &tw_windows_get(&group->all.tally.over_time, i)->lat[direction];
}

/* The range over all windows of a direction. */
struct range {
	uint64_t min_ns, max_ns;
	unsigned bits;			/* of the histograms */
};

static void find_range(const struct tw_report_group *group, int direction,
		       struct range *range)
{
	*range = (struct range) { .min_ns = UINT64_MAX };
	for (uint32_t i = 0; i < tw_report_windows(group); i++) {
		const struct tw_histogram *lat = lat_of(group, i, direction);

		if (!lat->count)
			continue;
		if (lat->min_ns < range->min_ns)
			range->min_ns = lat->min_ns;
		if (lat->max_ns > range->max_ns)
			range->max_ns = lat->max_ns;
		range->bits = lat->bits;
	}
}

/* Set the rows. No row is narrower than a bin, since rows between bins would be
 * empty. */
static void set_rows(struct tw_report_heat *heat, const struct range *range)
{
	const double low = (double)(range->min_ns ? range->min_ns : 1);
	const double high = (double)range->max_ns + 1;
	const double bin = log1p(ldexp(1, -(int)range->bits));
	const double most = high > low ? log(high / low) / bin : 1;

	heat->rows = most >= TW_REPORT_HEAT_ROWS ? TW_REPORT_HEAT_ROWS :
		     most >= 1 ? (size_t)most : 1;
	for (size_t i = 0; i <= heat->rows; i++)
		heat->lat_ns[i] = low * pow(high / low, (double)i /
					    (double)heat->rows);
}

/* Return the row of a bin, by the bin's middle. */
static size_t row_of(const struct tw_report_heat *heat, const struct tw_histogram *lat,
		     uint32_t bin)
{
	const double middle = (double)tw_histogram_bin_low(lat, bin) / 2 +
			      (double)tw_histogram_bin_high(lat, bin) / 2;
	const double low = heat->lat_ns[0], high = heat->lat_ns[heat->rows];
	double row;

	if (middle <= low || high <= low)
		return 0;
	row = floor(log(middle / low) / log(high / low) * (double)heat->rows);
	return row < (double)heat->rows ? (size_t)row : heat->rows - 1;
}

static void count_column(struct tw_report_heat *heat, size_t column,
			 const struct tw_histogram *lat)
{
	uint64_t *counts = heat->counts[column];
	uint32_t bin, last;

	if (!lat->count)
		return;
	last = tw__histogram_bin(lat, lat->max_ns);
	for (bin = tw__histogram_bin(lat, lat->min_ns); bin <= last; bin++)
		if (lat->bins[bin])
			counts[row_of(heat, lat, bin)] += lat->bins[bin];
	for (size_t i = 0; i < heat->rows; i++)
		if (counts[i] > heat->most)
			heat->most = counts[i];
}

int tw_report_heat(struct tw_report_heat *heat, const struct tw_report_group *group,
		   int direction)
{
	struct range range;

	if (!tw_report_has_windows(group, direction))
		return 0;
	memset(heat, 0, sizeof(*heat));
	find_range(group, direction, &range);
	set_rows(heat, &range);
	heat->columns = tw_report_windows(group);
	for (uint32_t i = 0; i <= heat->columns; i++)
		heat->time_ns[i] = tw_report_window_ns(group, i);
	for (uint32_t i = 0; i < heat->columns; i++)
		count_column(heat, i, lat_of(group, i, direction));
	return 1;
}
