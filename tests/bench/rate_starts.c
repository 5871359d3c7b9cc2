/* SPDX-License-Identifier: MIT */
/*
 * Many calibrations in a row: how often the kernel's rate is accepted, how far
 * off the samples alone are, and whether the stated uncertainty is honest.
 *
 * The truth is the kernel's rate as a long window recognises it; without one
 * (another clocksource) there is nothing to compare with and it says so.
 *
 *	rate_starts [STARTS [WINDOW_MS [TRUTH_MS]]]
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "tickwise.h"

static uint64_t argument(int argc, char **argv, int i, uint64_t otherwise)
{
	return argc > i ? strtoull(argv[i], NULL, 10) : otherwise;
}

int main(int argc, char **argv)
{
	uint64_t starts = argument(argc, argv, 1, 100);
	struct tw_rate_options options = {
		.window_ns = argument(argc, argv, 2, 20) * 1000000,
	};
	struct tw_rate_options longest = {
		.window_ns = argument(argc, argv, 3, 2000) * 1000000,
	};
	double squares = 0, normed = 0, worst_ppb = 0, bounds = 0, errors_ppb;
	unsigned accepted = 0, provisional = 0, wrong = 0, failed = 0;
	unsigned outside = 0, beyond = 0;
	unsigned refusals[8] = { 0 };
	struct tw_rate truth;
	uint64_t i;

	if (tw_rate_measure(&truth, &longest) ||
	    truth.source == TW_RATE_REGRESSION) {
		printf("no kernel rate to compare with on this machine\n");
		return 2;
	}
	for (i = 0; i < starts; i++) {
		struct tw_rate rate;
		unsigned bit;

		if (tw_rate_measure(&rate, &options)) {
			failed++;
			continue;
		}
		errors_ppb = (rate.measured_hz / truth.hz - 1) * 1e9;
		squares += errors_ppb * errors_ppb;
		worst_ppb = fmax(worst_ppb, fabs(errors_ppb));
		normed += pow(errors_ppb / rate.measured_uncertainty_ppb, 2);
		beyond += fabs(errors_ppb) > 3 * rate.measured_uncertainty_ppb;
		outside += truth.hz < rate.low_hz || truth.hz > rate.high_hz;
		bounds += (rate.high_hz - rate.low_hz) / rate.hz * 1e9;
		if (getenv("EACH"))
			printf("%+.2f ppb, sigma %.2f, used %u of %u\n",
			       errors_ppb, rate.measured_uncertainty_ppb,
			       rate.used, rate.samples);
		if (rate.source != TW_RATE_REGRESSION) {
			accepted++;
			provisional += rate.source == TW_RATE_KERNEL_PROVISIONAL;
			wrong += rate.kernel_mult != truth.kernel_mult;
		}
		for (bit = 0; bit < 8; bit++)
			refusals[bit] += rate.refusal >> bit & 1;
	}
	printf("truth %.3f Hz (mult %u >> %u, witness %s)\n", truth.hz,
	       truth.kernel_mult, truth.kernel_shift,
	       tw_witness_name(truth.witness));
	starts -= failed;
	printf("%llu windows of %llu ms, %u failed\n",
	       (unsigned long long)starts,
	       (unsigned long long)options.window_ns / 1000000, failed);
	printf("kernel rate: accepted %u (%u provisional), wrong %u\n",
	       accepted, provisional, wrong);
	for (i = 0; i < 8; i++)
		if (refusals[i])
			printf("  refused %u: %s\n", refusals[i],
			       tw_rate_refusal_text(1u << i));
	printf("samples alone: rms %.2f ppb, worst %.2f ppb\n",
	       sqrt(squares / (double)starts), worst_ppb);
	printf("error/sigma: rms %.2f, beyond 3 sigma %u\n",
	       sqrt(normed / (double)starts), beyond);
	printf("hard interval: mean width %.0f ppb, truth outside %u\n",
	       bounds / (double)starts, outside);
	return wrong != 0 || outside != 0;
}
