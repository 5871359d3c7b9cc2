/* SPDX-License-Identifier: MIT */
/*
 * The inside of a histogram, for code that writes it to a file, reads it back
 * or draws it: its bins, their edges and its sums. Not part of the public
 * header.
 */
#ifndef TW_LATENCY_HISTOGRAM_H
#define TW_LATENCY_HISTOGRAM_H

#include <errno.h>

#include "tickwise.h"

__extension__ typedef unsigned __int128 u128;

/* Forget all values. Memory that was touched stays mapped. */
void tw_histogram_clear_all(struct tw_histogram *histogram);

/* The same if the extremes are right, as after tw_histogram_add(): only the bins between
 * them are cleared. */
void tw_histogram_clear_used(struct tw_histogram *histogram);

/* Return an edge of a bin: low <= value <= high. */
uint64_t tw_histogram_bin_low(const struct tw_histogram *histogram,
			      uint32_t bin);
uint64_t tw_histogram_bin_high(const struct tw_histogram *histogram,
			       uint32_t bin);

/* Count @count values, which lie @apart numbers from each other: the same as
 * tw_histogram_add() of each, but sums stay in registers. Return the largest value; 0: none. */
uint64_t tw_histogram_add_each(struct tw_histogram *histogram, const uint64_t *values_ns,
			       size_t count, size_t apart);

/* Count @count values of which only the bin is known, for reading a histogram back.
 * Changes only bins and count: the caller sets the rest. Return: 0; -EINVAL if there is no such
 * bin; -EOVERFLOW. */
int tw_histogram_add_bin(struct tw_histogram *histogram, uint32_t bin,
			 uint64_t count);

/* Add a histogram that has as many digits or more: a bin with fewer digits consists of
 * whole bins with more. Return: 0; -EOVERFLOW, and then a part of it was added. */
int tw_histogram_add_finer(struct tw_histogram *into, const struct tw_histogram *from);

/* Merge a histogram into one that may have no bins yet. Return: as tw_histogram_merge(), or
 * -ENOMEM. */
int tw_histogram_merge_into_empty(struct tw_histogram *into, const struct tw_histogram *from);

/* Return how many values were counted, some of them several times. */
static inline uint64_t tw_histogram_values(const struct tw_histogram *histogram)
{
	return histogram->count - histogram->repeats;
}

/* Return the sum of the squares: 128 bits, which the public structure keeps in
 * halves. */
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

/* Set @values_ns to the percentiles @percents, which ascend, in one pass over the bins:
 * tw_histogram_percentile() of each. */
void tw_histogram_percentiles(const struct tw_histogram *histogram, const double *percents,
			      uint64_t *values_ns, size_t count);

/* True if at least one of @count values is above the percentile. 100 - 99.9 has a rounding
 * error. */
static inline int tw_has_percentile(double count, double percent)
{
	return count * (100 - percent) >= 99.999999;
}

/* Set the sums to those of an empty histogram. The caller takes care of the
 * bins. */
static inline void tw_histogram_forget_sums(struct tw_histogram *histogram)
{
	histogram->count = histogram->repeats = 0;
	histogram->sum_ns = 0;
	tw_histogram_set_squares(histogram, 0);
	histogram->min_ns = UINT64_MAX;
	histogram->max_ns = 0;
}

/* Tell why what is read is no histogram. Return -EINVAL. */
static inline int tw_refuse(const char **problem, const char *what)
{
	*problem = what;
	return -EINVAL;
}

#endif
