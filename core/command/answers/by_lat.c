/* SPDX-License-Identifier: MIT */
/*
 * The stages of I/Os with similar lat: see by_lat.h.
 */
#include "command/answers/by_lat.h"

static int add_slice(struct tw_report_slice *into, const struct tw_tally *tally,
		     int direction, unsigned at, uint32_t *bin)
{
	const uint64_t *sum_ns = tally->by_lat[direction].sum_ns[at];
	int over = 0;

	into->ios += tw_lat_slice_ios(&tally->times[TW_LAT][direction], at, bin);
	for (int i = 0; i < TW_STAGES; i++)
		over |= __builtin_add_overflow(into->sum_ns[i], sum_ns[i],
					       &into->sum_ns[i]);
	return over;
}

/* Sum up the slice with @percent of lat and @more slices above it. */
static int sum_up(struct tw_report_slice *sum, const struct tw_tally *tally,
		  int direction, double percent, unsigned more)
{
	const struct tw_histogram *lat = &tally->times[TW_LAT][direction];
	uint32_t bin;
	unsigned at;
	int over = 0;

	if (!lat->count || !tally->by_lat[direction].sum_ns)
		return 0;
	at = tw_lat_slice(tw_histogram_percentile(lat, percent));
	bin = tw__histogram_bin(lat, tw_lat_slice_low(at));
	*sum = (struct tw_report_slice) { .at = at };
	for (unsigned i = at; i <= at + more && i < TW_LAT_SLICES; i++)
		over |= add_slice(sum, tally, direction, i, &bin);
	return !over && sum->ios;
}

int tw_report_slice_at(struct tw_report_slice *slice, const struct tw_tally *tally,
		       int direction, double percent)
{
	return sum_up(slice, tally, direction, percent, 0);
}

int tw_report_slices_from(struct tw_report_slice *sum, const struct tw_tally *tally,
			  int direction, double percent)
{
	return sum_up(sum, tally, direction, percent, TW_LAT_SLICES);
}
