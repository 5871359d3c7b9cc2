/* SPDX-License-Identifier: MIT */
/*
 * Slices of lat. Each octave has eight slices of whole nanoseconds; values up
 * to 15 have a slice each. For each slice the engine adds up the stages of its
 * I/Os, so that a page can tell where the time of an I/O at a percentile went.
 * A bin of a histogram is always inside one slice, with any number of digits.
 */
#ifndef TW_LATENCY_SLICES_H
#define TW_LATENCY_SLICES_H

#include <stdint.h>

#define TW_LAT_SLICE_BITS	3
#define TW_LAT_SLICES		((65U - TW_LAT_SLICE_BITS) << TW_LAT_SLICE_BITS)

static inline unsigned tw_lat_slice(uint64_t lat_ns)
{
	unsigned octave = (63U ^ (unsigned)__builtin_clzll(lat_ns | 1ULL << TW_LAT_SLICE_BITS)) -
			  TW_LAT_SLICE_BITS;

	return (octave << TW_LAT_SLICE_BITS) + (unsigned)(lat_ns >> octave);
}

/* The smallest and the largest value of a slice. */
static inline uint64_t tw_lat_slice_low(unsigned slice)
{
	unsigned octave = slice >> TW_LAT_SLICE_BITS;

	if (octave < 2)
		return slice;
	return (uint64_t)((slice & ((1U << TW_LAT_SLICE_BITS) - 1)) |
			  1U << TW_LAT_SLICE_BITS) << (octave - 1);
}

static inline uint64_t tw_lat_slice_high(unsigned slice)
{
	/* The largest value of the last slice is 2^64 - 1. */
	return slice + 1 == TW_LAT_SLICES ? UINT64_MAX :
					    tw_lat_slice_low(slice + 1) - 1;
}

#endif
