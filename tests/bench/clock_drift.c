/* SPDX-License-Identifier: MIT */
/*
 * How far does a clock get from CLOCK_MONOTONIC_RAW?
 *
 * First on paper: one hour of ticks, converted, against the kernel's own
 * product in 128 bits, at every second and on both sides of it. Then for real:
 * a clock that is set up once, looked at every second for so many seconds,
 * each time through the narrowest of 1000 brackets.
 *
 *	clock_drift [SECONDS]
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "tickwise.h"

__extension__ typedef unsigned __int128 u128;

static double off_ns(uint64_t ns, u128 exact_shifted, unsigned shift)
{
	return (double)((__extension__ (__int128)((u128)ns << shift)) -
			(__extension__ (__int128)exact_shifted)) /
	       ldexp(1, (int)shift);
}

static void on_paper(const struct tw_clock *tested)
{
	const struct tw_rate *rate = &tested->rate;
	double worst_ns = 0, worst_wide_ns = 0;
	unsigned second;

	for (second = 0; second <= 3600; second++) {
		int64_t beside;

		for (beside = -1000; beside <= 1000; beside++) {
			uint64_t ticks = (uint64_t)(rate->hz * second +
						    1000) + (uint64_t)beside;
			u128 exact = (u128)ticks * rate->kernel_mult;

			worst_ns = fmax(worst_ns, fabs(off_ns(
				tw_ticks_to_ns(&tested->scale, ticks), exact,
				rate->kernel_shift)));
			worst_wide_ns = fmax(worst_wide_ns, fabs(off_ns(
				tw_ticks_to_ns_wide(&tested->scale, ticks),
				exact, rate->kernel_shift)));
		}
	}
	printf("one hour of ticks, exact arithmetic, worst: modulus %.2f ns, "
	       "wide %.2f ns\n", worst_ns, worst_wide_ns);
}

/* The clock less RAW, and half of the bracket. */
static double look(const struct tw_clock *tested, double *half_ns)
{
	struct tw_clock_mark mark;
	uint64_t middle, ns;

	if (tw_clock_mark(TW_AGAINST_RAW, 1000, &mark)) {
		printf("no bracket\n");
		exit(2);
	}
	middle = mark.ticks_before + (mark.ticks_after - mark.ticks_before) / 2;
	ns = tw_clock_ns_at(tested, middle);
	*half_ns = (double)(mark.ticks_after - mark.ticks_before) / 2 /
		   tested->rate.hz * 1e9;
	/* A reading of v is between v and v + 1. */
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
	return 0;
}

int main(int argc, char **argv)
{
	unsigned seconds = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 10;
	static struct tw_clock tested;

	if (tw_clock_init(&tested, NULL) || tested.system ||
	    !tested.rate.kernel_mult) {
		printf("the kernel's rate is not recognised here\n");
		return 2;
	}
	on_paper(&tested);
	return for_real(&tested, seconds);
}
