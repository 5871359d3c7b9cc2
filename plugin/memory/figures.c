/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Order statistics of a histogram, without the values of disturbed I/Os.
 */
#include <errno.h>
#include <math.h>

#include "figures.h"
#include "latency/histogram.h"

/* The 97.5th percentile of the normal distribution. */
#define SIGMAS_95	1.96

/* Return the first and the last bin that hold values. */
static uint32_t first_bin(const struct tw_histogram *ticks)
{
	return tw__histogram_bin(ticks, ticks->min_ns);
}

static uint32_t last_bin(const struct tw_histogram *ticks)
{
	return tw__histogram_bin(ticks, ticks->max_ns);
}

/* Return the value at a rank, from 1 to @count. */
static double at_rank(const struct tw_histogram *ticks, uint64_t count,
		      double rank)
{
	double whole = fmin(fmax(rank, 1), (double)count);
	uint32_t bin = first_bin(ticks), last = last_bin(ticks);
	uint64_t below = ticks->bins[bin];

	while ((double)below < whole && bin < last)
		below += ticks->bins[++bin];
	return (double)tw_histogram_bin_high(ticks, bin);
}

static double median_of(const struct tw_histogram *ticks, uint64_t count)
{
	return (at_rank(ticks, count, floor(((double)count + 1) / 2)) +
		at_rank(ticks, count, ceil(((double)count + 1) / 2))) / 2;
}

static uint64_t count_up_to(const struct tw_histogram *ticks, double limit)
{
	uint64_t count = 0;

	for (uint32_t bin = first_bin(ticks); bin <= last_bin(ticks); bin++) {
		if ((double)tw_histogram_bin_low(ticks, bin) > limit)
			break;
		count += ticks->bins[bin];
	}
	return count;
}

static unsigned bounded(uint64_t count)
{
	return count > UINT32_MAX ? UINT32_MAX : (unsigned)count;
}

int tw_memory_figures(struct tw_memory_point *point,
		      const struct tw_histogram *ticks, uint64_t interrupted,
		      double ns_per_tick)
{
	double load_ns = ns_per_tick / (double)point->loads;
	uint64_t good = 0;
	double half;

	if (ticks->count)
		good = count_up_to(ticks, median_of(ticks, ticks->count) * 1.5 +
					  2000 / ns_per_tick);
	point->batches = bounded(good);
	point->disturbed = bounded(ticks->count - good + interrupted);
	if (good < TW_MEMORY_MIN_BATCHES)
		return -EAGAIN;
	half = SIGMAS_95 * sqrt((double)good) / 2;
	point->min_ns = (double)ticks->min_ns * load_ns;
	point->median_ns = median_of(ticks, good) * load_ns;
	point->p90_ns = at_rank(ticks, good, ceil((double)good * 0.9)) *
			load_ns;
	point->low_ns = at_rank(ticks, good,
				floor((double)good / 2 - half)) * load_ns;
	point->high_ns = at_rank(ticks, good,
				 ceil((double)good / 2 + 1 + half)) * load_ns;
	return 0;
}
