/* SPDX-License-Identifier: MIT */
/*
 * How good is a refined rate, and is its uncertainty honest? Refines clocks that
 * may not use the kernel's rate over a longer baseline. The truth is the kernel's
 * rate as a long window recognises it.
 *
 *	refine_error [CLOCKS [BASELINE_MS [WINDOW_MS]]]
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tickwise.h"

static unsigned long argument(int argc, char **argv, int i, unsigned long other)
{
	return argc > i ? strtoul(argv[i], NULL, 10) : other;
}

int main(int argc, char **argv)
{
	unsigned long clocks = argument(argc, argv, 1, 100), i;
	unsigned long baseline_ms = argument(argc, argv, 2, 200);
	struct tw_clock_options options = {
		.size = sizeof(options),
		.window_ns = argument(argc, argv, 3, 20) * 1000000,
		.kernel_rate = TW_OFF,
	};
	double squares = 0, normed = 0, worst = 0, first = 0;
	unsigned refined = 0, beyond = 0, outside = 0, used = 0;
	static struct tw_clock clock;
	struct tw_rate truth = TW_SIZED(struct tw_rate), rate = truth;

	if (tw_rate_measure(&truth, NULL) ||
	    truth.source == TW_RATE_REGRESSION) {
		printf("no kernel rate to compare with on this machine\n");
		return 2;
	}
	for (i = 0; i < clocks; i++) {
		double off_ppb;

		int ret;

		ret = tw_clock_init(&clock, &options);
		if (ret || clock.system) {
			printf("set up: errno %d\n", -(ret ? ret :
							clock.system_errno));
			continue;
		}
		usleep((useconds_t)baseline_ms * 1000);
		ret = tw_clock_refine(&clock);
		if (ret) {
			printf("refining: errno %d\n", -ret);
			continue;
		}
		tw_clock_rate(&clock, &rate);
		used++;
		refined += rate.hz != clock.scale.hz;
		off_ppb = (rate.hz / truth.hz - 1) * 1e9;
		first += pow((clock.scale.hz / truth.hz - 1) * 1e9, 2);
		squares += off_ppb * off_ppb;
		worst = fmax(worst, fabs(off_ppb));
		normed += pow(off_ppb / rate.uncertainty_ppb, 2);
		beyond += fabs(off_ppb) > 3 * rate.uncertainty_ppb;
		outside += truth.hz < rate.low_hz || truth.hz > rate.high_hz;
		tw_clock_free(&clock);
	}
	if (!used) {
		printf("no clock could be refined\n");
		return 2;
	}
	printf("%u clocks, baseline %lu ms: %u took a better rate\n", used,
	       baseline_ms, refined);
	printf("off: rms %.3f ppb (at first %.3f), worst %.3f\n",
	       sqrt(squares / used), sqrt(first / used), worst);
	printf("error / sigma: rms %.2f, beyond 3 sigma %u, outside the hard "
	       "interval %u\n", sqrt(normed / used), beyond, outside);
	return outside != 0;
}
