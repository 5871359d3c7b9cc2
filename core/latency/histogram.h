/* SPDX-License-Identifier: MIT */
/*
 * The inside of a histogram, for those who write it to a file, read it back or
 * draw it: its bins, their edges and its sums. Not part of the public header.
 */
#ifndef TW_LATENCY_HISTOGRAM_H
#define TW_LATENCY_HISTOGRAM_H

#include "tickwise.h"

__extension__ typedef unsigned __int128 u128;

/* Forget all that was counted; memory that was touched stays mapped. */
void tw_histogram_reset(struct tw_histogram *histogram);

/* The edges of a bin: low <= value <= high. */
uint64_t tw_histogram_bin_low(const struct tw_histogram *histogram,
			      uint32_t bin);
uint64_t tw_histogram_bin_high(const struct tw_histogram *histogram,
			       uint32_t bin);

/**
 * tw_histogram_add_bin - count @count values of which only the bin is known
 *
 * For reading a histogram back. Changes bins and count only; the caller sets
 * sum_ns, min_ns and max_ns, and squares_ns2 where it is known.
 *
 * Return: 0; -EINVAL where there is no such bin; -EOVERFLOW.
 */
int tw_histogram_add_bin(struct tw_histogram *histogram, uint32_t bin,
			 uint64_t count);

/**
 * tw_histogram_add_finer - add a histogram that has as many digits or more
 *
 * Bins with fewer digits are made of whole bins with more.
 *
 * Return: 0; -EOVERFLOW, then part of it is added.
 */
int tw_histogram_add_finer(struct tw_histogram *into, const struct tw_histogram *from);

/* The sum of the squares takes 128 bits: the public structure has two halves. */
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

/* At least one value lies above the percentile; 100 - 99.9 has a rounding error. */
static inline int tw_histogram_has_percentile(const struct tw_histogram *histogram,
					      double percent)
{
	return (double)histogram->count * (100 - percent) >= 99.999999;
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
