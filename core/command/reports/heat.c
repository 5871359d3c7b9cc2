/* SPDX-License-Identifier: MIT */
/*
 * Counts I/Os by lat and time: see heat.h.
 */
#include <math.h>
#include <string.h>

#include "command/reports/heat.h"
#include "latency/histogram.h"

/* The range over all cells of a direction. */
struct range {
	uint64_t min_ns, max_ns;
	unsigned bits;			/* of the coarsest histogram */
};

static int find_range(const struct tw_report_cells *cells, int direction,
		      struct range *range)
{
	*range = (struct range) { .min_ns = UINT64_MAX, .bits = 64 };
	for (size_t i = 0; i < cells->count; i++) {
		const struct tw_histogram *lat = &cells->cells[i].lat[direction];

		if (!lat->count)
			continue;
		if (lat->min_ns < range->min_ns)
			range->min_ns = lat->min_ns;
		if (lat->max_ns > range->max_ns)
			range->max_ns = lat->max_ns;
		if (lat->bits < range->bits)
			range->bits = lat->bits;
	}
	return range->min_ns <= range->max_ns;
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

/* Return the first cell with intervals. A part of the run may begin after the
 * cells' origin. */
static size_t first_of(const struct tw_report_cells *cells)
{
	size_t first = 0;

	while (first + 1 < cells->count && cells->cells[first].to_ns == 0)
		first++;
	return first;
}

/* Set the columns. After the first cell, one without intervals is a column,
 * too: it had no I/O. */
static void set_columns(struct tw_report_heat *heat, const struct tw_report_cells *cells,
			size_t first)
{
	const size_t columns = cells->count - first;
	const struct tw_report_cell *last = &cells->cells[cells->count - 1];

	heat->columns = columns;
	for (size_t i = 0; i <= columns; i++)
		heat->time_ns[i] = cells->origin_ns + (first + i) * cells->width_ns;
	if (first && cells->cells[first].from_ns < heat->time_ns[1])
		heat->time_ns[0] = cells->cells[first].from_ns;
	if (last->to_ns > heat->time_ns[columns - 1])
		heat->time_ns[columns] = last->to_ns;
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

int tw_report_heat(struct tw_report_heat *heat, const struct tw_report_cells *cells,
		   int direction)
{
	struct range range;
	size_t first;

	if (!cells || !find_range(cells, direction, &range))
		return 0;
	memset(heat, 0, sizeof(*heat));
	set_rows(heat, &range);
	first = first_of(cells);
	set_columns(heat, cells, first);
	for (size_t i = first; i < cells->count; i++)
		count_column(heat, i - first, &cells->cells[i].lat[direction]);
	return 1;
}
