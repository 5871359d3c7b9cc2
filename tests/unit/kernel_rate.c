/* SPDX-License-Identifier: MIT */
/*
 * The kernel's multiplier from kHz, and when a fit may claim it. Fails if a
 * multiplier differs from what kernels are known to use, or if an ambiguous,
 * distant or gappy fit is accepted.
 */
#include <errno.h>
#include <math.h>

#include "../../core/clock/calibrate.h"
#include "tap.h"

/* The first two are what running kernels use (seen in the rate of RAW itself);
 * the third is 2^24 * 1e6 / 2400000 = 6990506.67, which must go up. */
static const struct tw_kernel_rate known[] = {
	{ .khz = 2599998, .mult = 6452780, .shift = 24 },
	{ .khz = 2100000, .mult = 7989150, .shift = 24 },
	{ .khz = 2400000, .mult = 6990507, .shift = 24 },
};

static struct tw_fit fit_at(double hz, double sigma_ppb)
{
	return (struct tw_fit) {
		.hz = hz, .sigma_ppb = sigma_ppb, .asymmetry_ppb = 50,
		.low_hz = hz * (1 - 2e-6), .high_hz = hz * (1 + 2e-6),
		.blocks = TW_FIT_BLOCKS,
	};
}

int main(void)
{
	struct tw_kernel_rate rate = { 0 }, found = { 0 };
	struct tw_fit fit;
	int alone = -1;
	unsigned i;

	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		tap_ok(tw_kernel_rate_of_khz(known[i].khz, &rate) == 0 &&
		       rate.mult == known[i].mult &&
		       rate.shift == known[i].shift, "%u kHz: %u >> %u",
		       known[i].khz, known[i].mult, known[i].shift);
	}
	tap_ok(tw_kernel_rate_of_khz(9999, &rate) == -ERANGE &&
	       tw_kernel_rate_of_khz(10000001, &rate) == -ERANGE,
	       "outside 10 MHz to 10 GHz refused");

	tw_kernel_rate_of_khz(2599998, &rate);
	fit = fit_at(rate.hz * (1 + 5e-9), 4);
	tap_ok(tw_kernel_rate_recognise(&fit, &found, &alone) == 0 &&
	       found.mult == rate.mult && alone == 0,
	       "5 ppb beside a multiplier: it is the one");
	fit.low_hz = rate.hz * (1 - 1e-7);
	fit.high_hz = rate.hz * (1 + 1e-7);
	tap_ok(tw_kernel_rate_recognise(&fit, &found, &alone) == 0 &&
	       alone == 1, "a narrow hard interval leaves it alone");
	fit.low_hz = rate.hz * (1 + 1e-9);
	tap_ok(tw_kernel_rate_recognise(&fit, &found, &alone) ==
	       TW_REFUSED_NO_CANDIDATE, "outside the hard interval: refused");

	/* kHz at 2.6 GHz are 385 ppb apart: half way is nobody's. */
	fit = fit_at(rate.hz * (1 + 190e-9), 4);
	tap_ok(tw_kernel_rate_recognise(&fit, &found, &alone) ==
	       TW_REFUSED_NO_CANDIDATE, "half way between two: refused");
	fit = fit_at(rate.hz * (1 + 5e-9), 40);
	tap_ok(tw_kernel_rate_recognise(&fit, &found, &alone) ==
	       TW_REFUSED_AMBIGUOUS, "an uncertain fit: refused");
	fit = fit_at(rate.hz, 4);
	fit.blocks = TW_FIT_LEAST_BLOCKS - 1;
	tap_ok(tw_kernel_rate_recognise(&fit, &found, &alone) ==
	       TW_REFUSED_GAPS, "samples in too few blocks: refused");
	return tap_done();
}
