/* SPDX-License-Identifier: MIT */
/*
 * The analytic check of a scale (which the debug build asserts) passes every scale
 * that tw_scale_init() makes and notices each way to break one. Fails if the check
 * is blind: one that passes everything proves nothing.
 *
 * Also on other processors.
 */
#include <math.h>

#include "clock/scale.h"
#include "tap.h"

#define RATES	2000

static int passes(const struct tw_rate *rate, uint64_t modulus_ns)
{
	const char *broken;
	struct tw_scale scale;

	if (tw_scale_init(&scale, rate, modulus_ns))
		return modulus_ns != 0;
	broken = tw_scale_check(&scale, rate);
	if (broken)
		tap_note("%.17g Hz, multiplier %u, modulus %" PRIu64 " ns: %s",
			 rate->hz, rate->kernel_mult, modulus_ns, broken);
	return !broken;
}

static unsigned pass_all(uint64_t *random)
{
	unsigned failed = 0;
	unsigned i;

	for (i = 0; i < RATES; i++) {
		/* Log-uniform over the three decades. */
		struct tw_rate rate = {
			.size = sizeof(rate),
			.hz = 1e7 * exp((double)(tap_random(random) >> 11) *
					0x1p-53 * log(1000)),
		};

		failed += !passes(&rate, 0);
		/* 1 us to 18 minutes: what does not fit is refused. */
		failed += !passes(&rate, 1000ULL << tap_random(random) % 31);
		rate.kernel_shift = 23;
		rate.kernel_mult = (uint32_t)(1e9 * 0x1p23 / rate.hz);
		rate.hz = 1e9 * 0x1p23 / rate.kernel_mult;
		if (rate.hz >= 1e7 && rate.hz <= 1e10)
			failed += !passes(&rate, 0);
	}
	return failed;
}

static void notices(const struct tw_scale *broken, const struct tw_rate *rate,
		    const char *what)
{
	const char *why = tw_scale_check(broken, rate);

	tap_ok(why != NULL, "notices %s: %s", what, why ? why : "no");
}

static void break_it(const struct tw_rate *rate)
{
	struct tw_scale whole, scale;

	if (!tap_ok(!tw_scale_init(&whole, rate, 0) &&
		    !tw_scale_check(&whole, rate), "%.0f Hz", rate->hz))
		return;
	scale = whole;
	scale.mult += 1 + (scale.mult >> 30);
	notices(&scale, rate, "a multiplier too large");
	scale = whole;
	scale.mult -= scale.mult >> 20;
	notices(&scale, rate, "one too small");
	scale = whole;
	scale.mult = UINT64_MAX / scale.mask + 2;
	notices(&scale, rate, "products of more than 64 bits");
	scale = whole;
	scale.whole--;
	notices(&scale, rate, "a modulus too short");
	scale = whole;
	scale.whole += 1 + (scale.whole >> 32);
	notices(&scale, rate, "one too long");
	scale = whole;
	scale.max_ticks = UINT64_MAX - 1;
	notices(&scale, rate, "a range that the sum overflows in");
	scale = whole;
	scale.max_ns++;
	notices(&scale, rate, "a wrong end of time");
	scale = whole;
	scale.mask >>= 1;
	notices(&scale, rate, "a mask that is not the modulus'");
	scale = whole;
	scale.shift++;
	notices(&scale, rate, "a shift off by one");
	scale = whole;
	scale.shift = 64;
	notices(&scale, rate, "a shift by the whole word");
	scale = whole;
	scale.error_ns /= 4;
	notices(&scale, rate, "an error promised too small");
}

int main(void)
{
	uint64_t random = tap_seed();

	tap_ok(pass_all(&random) == 0, "every scale made passes");
	break_it(&(struct tw_rate) {
		.size = sizeof(struct tw_rate), .hz = 2.6e9 });
	break_it(&(struct tw_rate) {
		.size = sizeof(struct tw_rate), .hz = 24e6 });
	return tap_done();
}
