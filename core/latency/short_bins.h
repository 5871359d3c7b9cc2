/* SPDX-License-Identifier: MIT */
/*
 * Ticks to nanoseconds to bins, four at a time: short latencies, below 16 ms.
 * With what every x86-64 has; see tally.c on wider vectors. Internal to the
 * library.
 *
 * A float holds whole numbers below 2^24 exactly, and the way it is stored,
 * exponent above mantissa, is log-linear already: of 2^b and more, with b bits,
 *
 *	bin = (stored >> (23 - b)) - ((126 + b) << b)
 *
 * since the exponent is stored with 127 added, and 2^b is in bin 2^b. A smaller
 * value is its own bin.
 */
#ifndef TW_LATENCY_SHORT_BINS_H
#define TW_LATENCY_SHORT_BINS_H

#include <emmintrin.h>

#include "tickwise.h"

#define TW_SHORT_NS_BITS	24
#define TW_SHORT_MANTISSA_BITS	23
#define TW_SHORT_EXPONENT	126

/* Of one histogram; bits is 17 at most. */
struct tw_short_bins {
	__m128i shift;
	__m128i base;
	__m128i linear;		/* below, the bin is the value */
};

static inline struct tw_short_bins
tw_short_bins_of(const struct tw_histogram *histogram)
{
	const int bits = histogram->bits;

	return (struct tw_short_bins) {
		.shift = _mm_cvtsi32_si128(TW_SHORT_MANTISSA_BITS - bits),
		.base = _mm_set1_epi32((TW_SHORT_EXPONENT + bits) << bits),
		.linear = _mm_set1_epi32(1 << bits),
	};
}

/* @ns four times, and the same as @floats. */
static inline __m128i tw_short_bins(const struct tw_short_bins *of,
				    __m128i ns, __m128 floats)
{
	__m128i stored = _mm_srl_epi32(_mm_castps_si128(floats), of->shift);
	__m128i bins = _mm_sub_epi32(stored, of->base);
	__m128i small = _mm_cmpgt_epi32(of->linear, ns);

	return _mm_or_si128(_mm_and_si128(small, ns),
			    _mm_andnot_si128(small, bins));
}

/* Of a scale: tw_scale_modulus_part() and its rounding, twice at a time. */
struct tw_short_scale {
	__m128i mult;
	__m128i shift;
	__m128i half;
};

static inline struct tw_short_scale
tw_short_scale_of(const struct tw_scale *scale)
{
	return (struct tw_short_scale) {
		.mult = _mm_set1_epi64x((long long)scale->mult),
		.shift = _mm_cvtsi32_si128(scale->shift),
		.half = _mm_set1_epi64x(TW_SCALE_HALF),
	};
}

/*
 * Can values of which none is above @most_ticks be converted so? Both factors
 * must fit 32 bits: of rates from 1 to 5 GHz one in 250 has a larger multiplier.
 */
static inline int tw_short_suits(const struct tw_scale *scale,
				 uint64_t most_ticks)
{
	return most_ticks <= scale->mask && most_ticks >> 32 == 0 &&
	       scale->mult >> 32 == 0 &&
	       tw_ticks_to_ns(scale, most_ticks) >> TW_SHORT_NS_BITS == 0;
}

static inline __m128i tw_short_two_ns(const struct tw_short_scale *scale,
				      const uint64_t *ticks)
{
	__m128i two = _mm_loadu_si128((const __m128i *)ticks);

	two = _mm_srl_epi64(_mm_mul_epu32(two, scale->mult), scale->shift);
	return _mm_srli_epi64(_mm_add_epi64(two, scale->half),
			      TW_SCALE_FRACTION_BITS);
}

/* @ticks[0] to [3] as 32 bits each. */
static inline __m128i tw_short_ns(const struct tw_short_scale *scale,
				  const uint64_t *ticks)
{
	__m128 low = _mm_castsi128_ps(tw_short_two_ns(scale, ticks));
	__m128 high = _mm_castsi128_ps(tw_short_two_ns(scale, ticks + 2));

	return _mm_castps_si128(_mm_shuffle_ps(low, high,
					       _MM_SHUFFLE(2, 0, 2, 0)));
}

#endif
