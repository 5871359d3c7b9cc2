/* SPDX-License-Identifier: MIT */
/*
 * Converts ticks to nanoseconds, and compares with exact integer arithmetic: within
 * the published error, rounded as stated, never backwards, over three years of
 * ticks from 10 MHz to 10 GHz. Fails if a multiplier, a shift or a bound is off by
 * one bit. Fails also if the two parts of the modulus form are rounded apart (steps
 * back of 1 ns at boundaries). The wide form of the benchmark has the same limits.
 *
 * The truth is ticks * over / under in 128 bits, where over / under is the exact
 * nanoseconds per tick that the rate means. For a kernel multiplier that is mult /
 * 2^shift, for a measured rate 1e9 * 2^30 / (hz * 2^30). Ticks stay below 2^60
 * (three years at 10 GHz are 2^59.7) and over below 2^60, so the products are
 * exact. TW_RANDOM=N sets how many random inputs each rate gets.
 */
#include <math.h>

#include "wide.h"
#include "tap.h"

__extension__ typedef unsigned __int128 u128;
__extension__ typedef __int128 i128;

#define THREE_YEARS_S	(3ULL * 366 * 86400)
#define RATES		400

struct truth {
	u128 over;
	u128 under;
};

static struct truth truth_of(const struct tw_rate *rate)
{
	if (rate->kernel_mult)
		return (struct truth) { rate->kernel_mult,
					(u128)1 << rate->kernel_shift };
	return (struct truth) { (u128)1000000000 << 30,
				(u128)(rate->hz * 0x1p30) };
}

/* In units of 2^-20 ns: whole part and fraction are kept apart, both exact. */
static i128 exact_micro(const struct truth *truth, uint64_t ticks)
{
	u128 product = truth->over * ticks;
	u128 whole = product / truth->under, rest = product % truth->under;

	return (i128)((whole << 20) + (rest << 20) / truth->under);
}

static int is_within(const struct truth *truth, uint64_t ticks, uint64_t ns,
		     double error_ns, double error_ppb)
{
	i128 exact = exact_micro(truth, ticks);
	i128 off = ((i128)ns << 20) - exact;
	double allowed = error_ns + error_ppb * 1e-9 * (double)(exact >> 20);

	if (off < 0)
		off = -off;
	/* One unit is for the truth's own floor. */
	return (double)off <= allowed * 0x1p20 + 1;
}

struct misses {
	unsigned modulus, wide, backwards, wide_backwards;
	uint64_t ticks;
};

static void try_ticks(const struct tw_scale *scale, const struct tw_wide *form,
		      const struct truth *truth, uint64_t ticks,
		      struct misses *misses)
{
	uint64_t ns = tw_ticks_to_ns(scale, ticks);
	uint64_t wide = tw_wide_ns(form, ticks);

	if (ticks > scale->max_ticks)
		return;
	if (!is_within(truth, ticks, ns, scale->error_ns, scale->error_ppb)) {
		misses->modulus++;
		misses->ticks = ticks;
	}
	if (!is_within(truth, ticks, wide, 1, form->error_ppb)) {
		misses->wide++;
		misses->ticks = ticks;
	}
	if (ticks && tw_ticks_to_ns(scale, ticks - 1) > ns) {
		misses->backwards++;
		misses->ticks = ticks;
	}
	if (ticks && tw_wide_ns(form, ticks - 1) > wide)
		misses->wide_backwards++;
}

static void try_rate(const struct tw_rate *rate, uint64_t *random,
		     unsigned tries, struct misses *misses)
{
	const struct tw_wide wide = tw_wide_of(rate);
	struct truth truth = truth_of(rate);
	struct tw_scale scale;
	uint64_t largest, modulus;
	unsigned i;

	if (tw_scale_init(&scale, rate, 0)) {
		misses->modulus++;
		return;
	}
	largest = (uint64_t)(rate->hz * (double)THREE_YEARS_S);
	if (scale.max_ticks < largest || scale.error_ns > 1 ||
	    scale.error_ppb > (rate->hz > 5e9 ? 0.01 : 0.005)) {
		tap_note("%.3f Hz: promises %g ns + %g ppb to %" PRIu64
			 " ticks", rate->hz, scale.error_ns, scale.error_ppb,
			 scale.max_ticks);
		misses->modulus++;
	}
	modulus = scale.mask + 1;
	for (i = 0; i < tries; i++) {
		/* Spread over octaves, then around the boundaries. */
		uint64_t ticks = tap_random(random) >>
				 (tap_random(random) % 60);
		uint64_t boundary;

		ticks %= largest + 1;
		boundary = ticks / modulus * modulus;
		try_ticks(&scale, &wide, &truth, ticks, misses);
		try_ticks(&scale, &wide, &truth, boundary, misses);
		try_ticks(&scale, &wide, &truth, boundary + 1, misses);
		try_ticks(&scale, &wide, &truth, boundary + modulus - 1, misses);
	}
	for (i = 0; i < 4; i++) {
		try_ticks(&scale, &wide, &truth, i, misses);
		try_ticks(&scale, &wide, &truth, scale.max_ticks - i, misses);
	}
	if (tw_ticks_to_ns(&scale, scale.max_ticks + 1) != scale.max_ns ||
	    tw_ticks_to_ns(&scale, UINT64_MAX) != scale.max_ns)
		misses->modulus++;
}

static double rate_hz(unsigned i, uint64_t *random)
{
	static const double edges[] = {
		1e7, 1e10, 1e9, 24e6, 62.5e6, 1e9 + 1, 999999999.5,
		2599998140.336, 5e9, 4294967296.0, 0x1p33, 1.5e7,
	};

	if (i < sizeof(edges) / sizeof(edges[0]))
		return edges[i];
	/* Log-uniform over three decades. */
	return 1e7 * exp((double)(tap_random(random) >> 11) * 0x1p-53 *
			 log(1000));
}

int main(void)
{
	uint64_t random = tap_seed();
	const char *text = getenv("TW_RANDOM");
	unsigned tries = text ? (unsigned)strtoul(text, NULL, 10) : 2000;
	struct misses measured = { 0 }, kernel = { 0 };
	struct tw_rate rate = TW_SIZED(struct tw_rate);
	unsigned i;

	for (i = 0; i < RATES; i++) {
		rate.hz = rate_hz(i, &random);
		rate.kernel_mult = 0;
		try_rate(&rate, &random, tries, &measured);
		/*
		 * The same region as a kernel multiplier: the double is then only
		 * an approximation of the ratio.
		 */
		rate.kernel_shift = 23;
		rate.kernel_mult = (uint32_t)(1e9 * 0x1p23 / rate.hz);
		rate.hz = 1e9 * 0x1p23 / rate.kernel_mult;
		if (rate.hz >= 1e7 && rate.hz <= 1e10)
			try_rate(&rate, &random, tries / 4, &kernel);
	}
	tap_ok(measured.modulus == 0 && kernel.modulus == 0,
	       "modulus form within its published error");
	tap_ok(measured.wide == 0 && kernel.wide == 0,
	       "wide form within its published error");
	tap_ok(measured.backwards == 0 && kernel.backwards == 0,
	       "modulus form never backwards");
	tap_ok(measured.wide_backwards == 0 && kernel.wide_backwards == 0,
	       "wide form never backwards");
	if (tap_failed)
		tap_note("last miss at %" PRIu64 " ticks", measured.ticks ?
			 measured.ticks : kernel.ticks);
	return tap_done();
}
