/* SPDX-License-Identifier: MIT */
/*
 * Converts ticks to nanoseconds, and compares with exact integer arithmetic: within the
 * published error, rounded as stated, never backwards, over three years of ticks from 10 MHz
 * to 10 GHz. Rates outside the range and moduli that do not fit are -ERANGE and leave the
 * output alone. A negative difference converts to its mirror image.
 *
 * Fails if a multiplier, a shift or a bound is off by one bit, or if the two parts of the
 * modulus form are rounded apart (steps back of 1 ns at boundaries). Fails also if an output
 * is written on error, or if a begin that was read slightly ahead becomes 584 years.
 *
 * The truth is ticks * over / under in 128 bits, where over / under is the exact nanoseconds
 * per tick that the rate means. For a kernel multiplier that is mult / 2^shift, for a
 * measured rate 1e9 * 2^30 / (hz * 2^30). Over is below 2^60, so the products are exact.
 *
 * Also on other processors.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "clock/clock.h"
#include "tap.h"

/* ---- the truth ---- */

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
	unsigned modulus, backwards;
	uint64_t ticks;
};

static void try_ticks(const struct tw_scale *scale, const struct truth *truth,
		      uint64_t ticks, struct misses *misses)
{
	uint64_t ns = tw_ticks_to_ns(scale, ticks);

	if (ticks > scale->max_ticks)
		return;
	if (!is_within(truth, ticks, ns, scale->error_ns, scale->error_ppb)) {
		misses->modulus++;
		misses->ticks = ticks;
	}
	if (ticks && tw_ticks_to_ns(scale, ticks - 1) > ns) {
		misses->backwards++;
		misses->ticks = ticks;
	}
}

/*
 * Try the corners of any scale. Ticks are k moduli and a rest r, and the result before the
 * last shift is k * whole + (r * mult >> shift) + half. It rises in k and in r while no
 * product overflows. The distance from the truth is linear in k and in r, but for roundings
 * that the published error counts in full. So products, sums and errors are largest at a
 * corner of (k, r). The step from one modulus to the next is the same for every k.
 */
static void try_corners(const struct tw_scale *scale, const struct truth *truth,
			struct misses *misses)
{
	const uint64_t last = scale->max_ticks & ~scale->mask;

	for (unsigned i = 0; i < 64; i++) {
		try_ticks(scale, truth, 1ULL << i, misses);
		try_ticks(scale, truth, (1ULL << i) - 1, misses);
	}
	for (unsigned i = 0; i < 4; i++) {
		try_ticks(scale, truth, last - i, misses);
		try_ticks(scale, truth, scale->max_ticks - i, misses);
	}
	if (tw_ticks_to_ns(scale, scale->max_ticks) != scale->max_ns ||
	    tw_ticks_to_ns(scale, scale->max_ticks + 1) != scale->max_ns ||
	    tw_ticks_to_ns(scale, UINT64_MAX) != scale->max_ns)
		misses->modulus++;
}

static void try_rate(const struct tw_rate *rate, uint64_t *random,
		     unsigned tries, struct misses *misses)
{
	struct truth truth = truth_of(rate);
	struct tw_scale scale, other;
	uint64_t largest, modulus;

	if (tw_scale_init(&scale, rate, 0)) {
		misses->modulus++;
		return;
	}
	/* 1 us to 18 minutes: what does not fit is refused. */
	if (!tw_scale_init(&other, rate, 1000ULL << tap_random(random) % 31))
		try_corners(&other, &truth, misses);
	try_corners(&scale, &truth, misses);
	largest = (uint64_t)(rate->hz * (double)THREE_YEARS_S);
	if (scale.max_ticks < largest || scale.error_ns > 1 ||
	    scale.error_ppb > (rate->hz > 5e9 ? 0.01 : 0.005)) {
		tap_note("%.3f Hz: promises %g ns + %g ppb to %" PRIu64
			 " ticks", rate->hz, scale.error_ns, scale.error_ppb,
			 scale.max_ticks);
		misses->modulus++;
	}
	modulus = scale.mask + 1;
	for (unsigned i = 0; i < tries; i++) {
		/* Spread over octaves, then around the boundaries. */
		uint64_t ticks = tap_random(random) >>
				 (tap_random(random) % 60);
		uint64_t boundary;

		ticks %= largest + 1;
		boundary = ticks / modulus * modulus;
		try_ticks(&scale, &truth, ticks, misses);
		try_ticks(&scale, &truth, boundary, misses);
		try_ticks(&scale, &truth, boundary + 1, misses);
		try_ticks(&scale, &truth, boundary + modulus - 1, misses);
	}
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

static void exact(uint64_t random)
{
	const unsigned tries = 2000;
	struct misses measured = { 0 }, kernel = { 0 };
	struct tw_rate rate = TW_SIZED(struct tw_rate);

	for (unsigned i = 0; i < RATES; i++) {
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
	       "within the published error");
	tap_ok(measured.backwards == 0 && kernel.backwards == 0,
	       "never backwards");
	if (tap_failed)
		tap_note("last miss at %" PRIu64 " ticks", measured.ticks ?
			 measured.ticks : kernel.ticks);
}

/* ---- limits ---- */

static int refuses(double hz, uint64_t modulus_ns)
{
	struct tw_scale scale, untouched;
	struct tw_rate rate = { .size = sizeof(rate), .hz = hz };

	memset(&scale, 0x5a, sizeof(scale));
	memset(&untouched, 0x5a, sizeof(untouched));
	return tw_scale_init(&scale, &rate, modulus_ns) == -ERANGE &&
	       memcmp(&scale, &untouched, sizeof(scale)) == 0;
}

/*
 * Count for how many of a thousand rates twice the modulus keeps error_ns within 1,
 * too. It is then the better one: errors in ppb fall with its length.
 */
static unsigned longest(void)
{
	unsigned longer = 0;

	for (unsigned i = 0; i < 1000; i++) {
		struct tw_rate rate = {
			.size = sizeof(rate), .hz = 1e7 * pow(1000, i / 1000.0),
		};
		struct tw_scale chosen, twice;

		tw_scale_init(&chosen, &rate, 0);
		longer += chosen.modulus_log2 < 39 &&
			  !tw_scale_init(&twice, &rate,
					 2 * chosen.modulus_ns) &&
			  twice.modulus_log2 == chosen.modulus_log2 + 1 &&
			  twice.error_ns <= 1;
	}
	return longer;
}

static void limits(void)
{
	/* 100 ns * 2^(50 + 7) is 1.44e19: one such modulus fits, two do not. */
	static const struct {
		double hz;
		uint64_t modulus_ns;
	} cases[] = {
		{ 9.99e6, 0 }, { 1.001e10, 0 }, { 0, 0 }, { -2.6e9, 0 }, { (double)NAN, 0 },
		{ (double)INFINITY, 0 }, { 2.6e9, UINT64_MAX }, { 1e7, 100ULL << 50 },
		{ 1e9, 1 },
	};
	struct tw_rate rate = { .size = sizeof(rate), .hz = 2e9 };
	struct tw_scale scale;

	for (unsigned i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		tap_ok(refuses(cases[i].hz, cases[i].modulus_ns),
		       "%g Hz, a modulus of %g ns: refused", cases[i].hz,
		       (double)cases[i].modulus_ns);
	tap_ok(tw_scale_init(&scale, &rate, 1) == 0 && scale.mask == 1,
	       "a modulus of two ticks taken");
	tap_is_u64(longest(), 0, "without a wish the longest that is good enough");
	/* The nearest power of two is within a factor of sqrt 2. */
	rate.hz = 2.6e9;
	tap_ok(tw_scale_init(&scale, &rate, 10 * TW_NS_PER_SECOND) == 0 &&
	       scale.modulus_ns >= 7071067811 && scale.modulus_ns <= 14142135624,
	       "ten seconds: the nearest power of two, and kept");
	tap_ok(tw_scale_init(&scale, &rate, 0) == 0 &&
	       tw_ticks_delta_to_ns(&scale, 2600) == 1000 &&
	       tw_ticks_delta_to_ns(&scale, -2600) == -1000 &&
	       tw_ticks_delta_to_ns(&scale, 0) == 0 &&
	       tw_ticks_delta_to_ns(&scale, INT64_MIN) == -(int64_t)scale.max_ns,
	       "2600 ticks of 2.6 GHz, -2600, 0; the most negative saturates");
}

int main(void)
{
	exact(tap_seed());
	limits();
	return tap_done();
}
