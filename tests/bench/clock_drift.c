/* SPDX-License-Identifier: MIT */
/*
 * How far does a clock get from CLOCK_MONOTONIC_RAW?
 *
 * First on paper: converts one hour of ticks, and compares it with the kernel's own
 * product in 128 bits around every second. It does so at this machine's rate, and
 * at some 400 rates that kernels have between 1 and 5 GHz. Then for real: sets up a
 * clock once, and compares it every second for SECONDS, each time through the
 * narrowest of 1000 brackets.
 *
 *	clock_drift [SECONDS]
 *
 * Exit code 1: over 20 ns (modulus) or 5 ns (wide) in the hour, or 5 ns for real.
 * 2: it could not be measured.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "clock/clock.h"
#include "clock/kernel_rate.h"
#include "wide.h"

__extension__ typedef unsigned __int128 u128;

static double off_ns(uint64_t ns, u128 exact_shifted, unsigned shift)
{
	return (double)((__extension__ (__int128)((u128)ns << shift)) -
			(__extension__ (__int128)exact_shifted)) /
	       ldexp(1, (int)shift);
}

struct worst {
	double modulus_ns;
	double wide_ns;
};

static void one_hour(const struct tw_scale *scale, const struct tw_rate *rate,
		     int64_t most_apart, struct worst *worst)
{
	const struct tw_wide wide = tw_wide_of(rate);
	const unsigned shift = rate->kernel_shift;
	unsigned second;
	int64_t apart;

	for (second = 0; second <= 3600; second++)
		for (apart = -most_apart; apart <= most_apart; apart++) {
			uint64_t ticks = (uint64_t)(scale->hz * second + 1000) +
					 (uint64_t)apart;
			u128 exact = (u128)ticks * rate->kernel_mult;

			worst->modulus_ns = fmax(worst->modulus_ns, fabs(off_ns(
				tw_ticks_to_ns(scale, ticks), exact, shift)));
			worst->wide_ns = fmax(worst->wide_ns, fabs(off_ns(
				tw_wide_ns(&wide, ticks), exact, shift)));
		}
}

static int on_paper(const struct tw_clock *tested)
{
	struct worst here = { 0, 0 }, others = { 0, 0 };
	uint32_t khz, rates = 0;

	one_hour(&tested->scale, &tested->state->rate, 1000, &here);
	for (khz = 1000000; khz <= 5000000; khz += 10007, rates++) {
		struct tw_kernel_rate kernel;
		struct tw_scale scale;
		struct tw_rate rate = TW_SIZED(struct tw_rate);

		tw_kernel_rate_of_khz(khz, &kernel);
		rate = (struct tw_rate) {
		.size = sizeof(struct tw_rate),
			.hz = kernel.hz, .kernel_mult = kernel.mult,
			.kernel_shift = kernel.shift,
		};
		tw_scale_init(&scale, &rate, 0);
		one_hour(&scale, &rate, 1, &others);
	}
	printf("one hour of ticks in exact arithmetic, worst: modulus %.2f ns, "
	       "wide %.2f ns\n", here.modulus_ns, here.wide_ns);
	printf("the same at %u rates from 1 to 5 GHz: modulus %.2f ns, wide "
	       "%.2f ns\n", rates, others.modulus_ns, others.wide_ns);
	return fmax(here.modulus_ns, others.modulus_ns) > 20 ||
	       fmax(here.wide_ns, others.wide_ns) > 5;
}

/* Return the clock minus RAW, and half of the bracket. */
static double look(const struct tw_clock *tested, double *half_ns)
{
	struct tw_clock_mark mark = TW_SIZED(struct tw_clock_mark);
	uint64_t middle, ns;

	if (tw_clock_mark(TW_AGAINST_RAW, 1000, &mark)) {
		printf("no bracket\n");
		exit(2);
	}
	middle = mark.ticks_before + (mark.ticks_after - mark.ticks_before) / 2;
	ns = tw_clock_ns_at(tested, middle);
	*half_ns = (double)(mark.ticks_after - mark.ticks_before) / 2 /
		   tested->state->rate.hz * 1e9;
	/* A reading of v means a time between v and v + 1. */
	return (double)(int64_t)(ns - mark.system_ns) - 0.5;
}

static int for_real(const struct tw_clock *tested, unsigned seconds)
{
	double first = 0, widest = 0, worst = 0, sum = 0, half_ns, off;
	unsigned i;

	for (i = 0; i <= seconds; i++) {
		const struct timespec wait = { .tv_sec = 1 };

		off = look(tested, &half_ns);
		if (i == 0)
			first = off;
		widest = fmax(widest, half_ns);
		worst = fmax(worst, fabs(off - first));
		sum += off - first;
		if (i < seconds)
			nanosleep(&wait, NULL);
	}
	printf("%u s for real: at the end %+.1f ns from where it began, on "
	       "average %+.2f, at worst %.1f; brackets to +-%.1f ns\n", seconds,
	       off - first, sum / (seconds + 1), worst, widest);
	return worst > 5;
}

int main(int argc, char **argv)
{
	unsigned seconds = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 10;
	static struct tw_clock tested;

	if (tw_clock_init(&tested, NULL) || tested.system ||
	    !tested.state->rate.kernel_mult) {
		printf("the kernel's rate is not recognised here\n");
		return 2;
	}
	return on_paper(&tested) | for_real(&tested, seconds);
}
