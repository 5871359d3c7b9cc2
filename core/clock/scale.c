/* SPDX-License-Identifier: MIT */
/*
 * Sets up the conversion of ticks to nanoseconds, and tells when ticks wrap. Pure, with 128-bit
 * integers. The conversion itself needs only 64 bits.
 */
#include "clock.h"

#include <errno.h>
#include <math.h>

#include "sized.h"

__extension__ typedef unsigned __int128 u128;

#define Q		TW_SCALE_FRACTION_BITS

/* Nanoseconds per tick, as an exact fraction. */
struct ratio {
	u128 over;
	u128 under;
};

/* Return the fraction. A measured rate is a double from TW_MIN_HZ to TW_MAX_HZ: 2^34 >
 * hz >= 2^23, with 53 bits. Scaled by 2^30 it is an integer: bits below are beyond its
 * mantissa, or worth 1e-16 of it. */
static struct ratio ns_per_tick(const struct tw_rate *rate)
{
	if (rate->kernel_mult)
		return (struct ratio) {
			rate->kernel_mult, (u128)1 << rate->kernel_shift,
		};
	return (struct ratio) {
		(u128)1000000000 << 30, (u128)ldexp(rate->hz, 30),
	};
}

/* Return 2^bits * ratio, rounded to nearest; ratio < 2^7 and bits <= 90 - 7. */
static u128 scaled(const struct ratio *ratio, unsigned bits)
{
	return ((ratio->over << bits) + ratio->under / 2) / ratio->under;
}

/* Set mult and shift for one modulus. mult begins with as many bits as 64-bit products
 * allow, and goes down until the last tick of a modulus stays within the next whole
 * modulus. This one comparison proves monotony: within a modulus the product rises with
 * the ticks. */
static void fit_mult(struct tw_scale *scale, const struct ratio *ratio)
{
	const uint64_t largest = UINT64_MAX >> scale->modulus_log2;
	unsigned shift = 0;
	u128 mult;

	while (shift < 63 && scaled(ratio, Q + shift + 1) <= largest)
		shift++;
	mult = scaled(ratio, Q + shift);
	while ((scale->mask * (uint64_t)mult) >> shift > scale->whole)
		mult--;
	scale->mult = (uint64_t)mult;
	scale->shift = (uint8_t)shift;
}

/* Return how far @rounded is off ratio * 2^bits, with both multiplied by ratio's under.
 * Numbers of sixty bits and more are subtracted, so they are integers: on some machines
 * a long double has no more bits than a double. */
static double off_under(const struct ratio *ratio, unsigned bits,
			uint64_t rounded)
{
	u128 exact = ratio->over << bits;
	u128 product = ratio->under * rounded;

	return (double)(product > exact ? product - exact : exact - product);
}

/*
 * Compute the published bounds from the numbers themselves: the final rounding gives half a
 * nanosecond, truncating the product of the rest up to 2^-Q, and the error of mult adds up
 * over at most one modulus. The rounding of whole, half of 2^-Q per modulus, is the only
 * part that grows with time.
 */
static void set_error(struct tw_scale *scale, const struct ratio *ratio)
{
	const unsigned bits = Q + scale->modulus_log2;
	/* This leaves room for the rounding of these doubles themselves. */
	const double up = 1 + 1e-15;
	double in_modulus = off_under(ratio, Q + scale->shift, scale->mult) /
		(double)ratio->under *
		ldexp((double)scale->mask, -(int)scale->shift);

	scale->error_ns = (0.5 + ldexp(in_modulus + 1, -(int)Q)) * up;
	scale->error_ppb = off_under(ratio, bits, scale->whole) /
		(double)(ratio->over << bits) * 1e9 * up;
}

static int try_modulus(struct tw_scale *scale, const struct tw_rate *rate,
		       const struct ratio *ratio, unsigned modulus_log2)
{
	u128 whole = scaled(ratio, modulus_log2 + Q);
	uint64_t moduli;

	if (whole > UINT64_MAX / 2)
		return -ERANGE;
	*scale = (struct tw_scale) {
		.mask = (1ULL << modulus_log2) - 1,
		.whole = (uint64_t)whole,
		.modulus_log2 = (uint8_t)modulus_log2,
		.modulus_ns = (uint64_t)((whole + TW__SCALE_HALF) >> Q),
		.hz = rate->hz,
	};
	fit_mult(scale, ratio);
	/* The sum must fit in 64 bits: one modulus and one half are kept free. */
	moduli = (UINT64_MAX - TW__SCALE_HALF) / scale->whole - 1;
	if (moduli >> (64 - modulus_log2))
		scale->max_ticks = UINT64_MAX;
	else
		scale->max_ticks = (moduli << modulus_log2) + scale->mask;
	set_error(scale, ratio);
	return 0;
}

int tw_scale_init(struct tw_scale *scale, const struct tw_rate *callers,
		  uint64_t modulus_ns)
{
	struct tw_scale best = { 0 }, one;
	struct tw_rate rate;
	struct ratio ratio;
	unsigned bits;
	int ret = tw_sized_take(&rate, sizeof(rate), callers, TW_FIRST_RATE);

	if (ret)
		return ret;
	if (!(rate.hz >= TW_MIN_HZ && rate.hz <= TW_MAX_HZ))
		return -ERANGE;
	ratio = ns_per_tick(&rate);

	if (modulus_ns) {
		double wish = (double)modulus_ns * rate.hz / 1e9;

		if (!(wish >= 2 && wish < 0x1p56))
			return -ERANGE;
		bits = (unsigned)lround(log2(wish));
		if (try_modulus(&best, &rate, &ratio, bits))
			return -ERANGE;
	}
	/* A longer modulus is rounded less often, so the bound of its error per
	 * second is smaller; its error within itself is larger. Take the longest
	 * whose error_ns is at most 1. A kernel's rate needs no rounding of whole:
	 * then every length is as good. */
	for (bits = 20; !modulus_ns && bits < 40; bits++)
		if (!try_modulus(&one, &rate, &ratio, bits) && one.error_ns <= 1)
			best = one;
	best.max_ns = tw__scale_modulus(&best, best.max_ticks);
	*scale = best;
	return 0;
}

double tw_seconds_before_wrap(uint64_t ticks, double hz)
{
	if (!(hz > 0) || !isfinite(hz))
		return 0;
	/* UINT64_MAX - ticks is exact, while 2^64 - ticks in doubles is not. */
	return ((double)(UINT64_MAX - ticks) + 1) / hz;
}
