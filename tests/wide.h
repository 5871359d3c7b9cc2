/* SPDX-License-Identifier: MIT */
/*
 * Converts ticks by the high half of a 128-bit product, rounded down. The
 * library uses the modulus form instead (tickwise.h). The benchmark, the tests
 * and tests/bench compare the two.
 */
#ifndef TW_BENCH_WIDE_H
#define TW_BENCH_WIDE_H

#include <math.h>

#include "tickwise.h"

__extension__ typedef unsigned __int128 tw_wide_u128;

struct tw_wide {
	uint64_t mult;
	unsigned shift;
	double error_ppb;		/* another 1 ns comes from rounding down */
};

/*
 * @rate is 10 MHz to 10 GHz. A tick takes less than 2^shift ns, so the
 * multiplier is a fraction with all of its 64 bits after the binary point.
 */
static inline struct tw_wide tw_wide_of(const struct tw_rate *rate)
{
	tw_wide_u128 over = rate->kernel_mult, under, mult;
	struct tw_wide wide = { 0 };

	under = (tw_wide_u128)1 << rate->kernel_shift;
	if (!rate->kernel_mult) {
		over = (tw_wide_u128)TW_NS_PER_SECOND << 30;
		under = (tw_wide_u128)ldexp(rate->hz, 30);
	}
	while (over >= under << wide.shift)
		wide.shift++;
	/* Compute 2^(64 - shift) * over / under in two steps, since 128 bits
	 * can't hold the first product. */
	over <<= 32 - wide.shift;
	mult = (over / under << 32) +
	       ((over % under << 32) + under / 2) / under;
	wide.mult = (uint64_t)mult;
	wide.error_ppb = 0.5e9 / (double)mult;
	return wide;
}

/* @ticks: up to 2^57. At 10 MHz more ticks would overflow. */
static inline uint64_t tw_wide_ns(const struct tw_wide *wide, uint64_t ticks)
{
	return (uint64_t)((tw_wide_u128)(ticks << wide->shift) * wide->mult >>
			  64);
}

#endif
