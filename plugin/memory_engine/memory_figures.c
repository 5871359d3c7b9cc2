/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Order statistics of a histogram, without the values of disturbed I/Os.
 */
#include "memory_figures.h"

#include "latency/histogram.h"

static double value_at(const void *values, uint64_t rank)
{
	const struct tw_histogram *ticks = values;
	uint32_t bin = tw__histogram_bin(ticks, ticks->min_ns);
	uint64_t below = ticks->bins[bin];

	if (rank == 1)
		return (double)ticks->min_ns;
	while (below < rank)
		below += ticks->bins[++bin];
	return (double)tw_histogram_bin_high(ticks, bin);
}

int tw_memory_job_figures(struct tw_memory_point *point, const struct tw_histogram *ticks,
			  uint64_t interrupted, double ns_per_tick)
{
	const struct tw_memory_times times = { ticks, value_at };
	uint64_t good = 0;

	if (ticks->count) {
		uint32_t last = tw__histogram_bin(ticks, ticks->max_ns);
		double limit = tw_memory_limit(&times, ticks->count, ns_per_tick);

		for (uint32_t bin = tw__histogram_bin(ticks, ticks->min_ns); bin <= last &&
		     (double)tw_histogram_bin_low(ticks, bin) <= limit; bin++)
			good += ticks->bins[bin];
	}
	return tw_memory_figures(point, &times, good, ticks->count + interrupted, ns_per_tick);
}
