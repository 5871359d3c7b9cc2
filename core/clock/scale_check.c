/* SPDX-License-Identifier: MIT */
/*
 * Checks whether a scale keeps its promises for every number of ticks. The
 * corners decide that, in 128-bit arithmetic. The ratio is computed anew:
 * nothing here is shared with scale.c, which makes the scale. Pure; takes some
 * microseconds.
 *
 * The corners suffice. Ticks are k moduli and a rest r. Before the last shift
 * the result is k * whole + (r * mult >> shift) + half. It rises in k and in r
 * while no product overflows, so every product and sum is largest at the
 * largest k and r. The step from one modulus to the next is the same for every
 * k, so one comparison shows that all boundaries are monotone. The distance
 * from the truth is linear in k and in r, except for roundings that the
 * published error counts in full. So it is largest at a corner of (k, r).
 */
#include "scale_check.h"

#include <math.h>

__extension__ typedef unsigned __int128 u128;
__extension__ typedef __int128 i128;

/* Times are compared in units of 2^-20 ns. */
#define PART_BITS	20

struct truth {
	u128 over;
	u128 under;
};

static struct truth truth_of(const struct tw_rate *rate)
{
	if (rate->kernel_mult)
		return (struct truth) {
			rate->kernel_mult, (u128)1 << rate->kernel_shift,
		};
	return (struct truth) {
		(u128)TW_NS_PER_SECOND << 30, (u128)ldexp(rate->hz, 30),
	};
}

/* True if the error is within the promise. over < 2^60 and ticks < 2^64, so the
 * product fits. */
static int is_within(const struct tw_scale *scale, const struct truth *truth,
		     uint64_t ticks)
{
	u128 product = truth->over * ticks;
	u128 ns_exact = product / truth->under;
	i128 exact = (i128)(ns_exact << PART_BITS) +
		     (i128)(((product % truth->under) << PART_BITS) /
			    truth->under);
	i128 off = ((i128)tw__scale_modulus(scale, ticks) << PART_BITS) - exact;
	double allowed_ns = scale->error_ns +
			    scale->error_ppb * 1e-9 * (double)ns_exact;

	/* One unit more is allowed, since the truth is rounded down to units
	 * here. */
	return ticks > scale->max_ticks ||
	       fabs((double)off) <= ldexp(allowed_ns, PART_BITS) + 1;
}

static const char *check_products(const struct tw_scale *scale)
{
	u128 in_modulus = (u128)scale->mask * scale->mult;
	u128 moduli = scale->max_ticks >> scale->modulus_log2;
	u128 sum;

	if (in_modulus > UINT64_MAX)
		return "the product within a modulus passes 64 bits";
	if ((in_modulus >> scale->shift) > scale->whole)
		return "time steps back where a modulus ends";
	/* As if the last modulus was full: at most one modulus too much. */
	sum = moduli * scale->whole + (in_modulus >> scale->shift) +
	      TW__SCALE_HALF;
	if (sum > UINT64_MAX)
		return "the sum passes 64 bits before max_ticks";
	if (scale->max_ns != tw__scale_modulus(scale, scale->max_ticks))
		return "max_ns is not what max_ticks convert to";
	return NULL;
}

static const char *check_error(const struct tw_scale *scale,
			       const struct truth *truth)
{
	uint64_t last = scale->max_ticks & ~scale->mask;
	const uint64_t corners[] = {
		0, 1, scale->mask, scale->mask + 1, last - 1, last,
		scale->max_ticks - 1, scale->max_ticks,
	};
	unsigned i;

	for (i = 0; i < sizeof(corners) / sizeof(*corners); i++)
		if (!is_within(scale, truth, corners[i]))
			return "a corner is off by more than is promised";
	/* The corners need no more. This finds mistakes of the argument above. */
	for (i = 0; i < 64; i++)
		if (!is_within(scale, truth, 1ULL << i) ||
		    !is_within(scale, truth, (1ULL << i) - 1))
			return "a power of two is off by more than is promised";
	return NULL;
}

const char *tw_scale_check(const struct tw_scale *scale,
			   const struct tw_rate *rate)
{
	const struct truth truth = truth_of(rate);
	const char *broken;

	if (scale->modulus_log2 > 63 || scale->shift > 63)
		return "a shift passes the word";
	if (scale->mask != (1ULL << scale->modulus_log2) - 1)
		return "the mask is not that of the modulus";
	broken = check_products(scale);
	return broken ? broken : check_error(scale, &truth);
}
