/* SPDX-License-Identifier: MIT */
/*
 * What a histogram knows beside its bins. The sum of the squares takes 128 bits,
 * which the public structure has in two halves. Internal to the library.
 */
#ifndef TW_LATENCY_HISTOGRAM_H
#define TW_LATENCY_HISTOGRAM_H

#include "tickwise.h"

__extension__ typedef unsigned __int128 u128;

static inline u128 tw_histogram_squares(const struct tw_histogram *histogram)
{
	return (u128)histogram->squares_ns2[1] << 64 | histogram->squares_ns2[0];
}

static inline void tw_histogram_set_squares(struct tw_histogram *histogram,
					    u128 squares_ns2)
{
	histogram->squares_ns2[0] = (uint64_t)squares_ns2;
	histogram->squares_ns2[1] = (uint64_t)(squares_ns2 >> 64);
}

/* Without them a histogram was read back from bins alone. */
static inline int tw_sums_have_squares(uint64_t sum_ns, u128 squares_ns2)
{
	return sum_ns == 0 || squares_ns2 != 0;
}

/* As of an empty one; its bins are the caller's. */
static inline void tw_histogram_forget_sums(struct tw_histogram *histogram)
{
	histogram->count = 0;
	histogram->sum_ns = 0;
	tw_histogram_set_squares(histogram, 0);
	histogram->min_ns = UINT64_MAX;
	histogram->max_ns = 0;
}

#endif
