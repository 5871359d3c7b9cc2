/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tests: plugin/collect/schedule.h
 *
 * The gaps of random arrivals follow the exponential law, whatever the seed, and none of them
 * depends on the one before. Regular arrivals are due where the rate says, to a tick, after any
 * number of them. The same seed has the same schedule. Fails if gaps are cut to whole ticks or
 * microseconds, if their mean is not that of the rate, or if an error adds up.
 *
 * The seeds are fixed, so the verdict is the same in each run. A right schedule has a p below
 * 0.001 for one seed in a thousand; more than 5 of 1,000 have it with a chance of 6e-4.
 */
#include <math.h>
#include <stdlib.h>

#include "collect/schedule.h"
#include "tap.h"

#define SEEDS		1000
#define GAPS		10000
#define HZ		2095078391.0	/* of a counter */
#define MAY_FAIL	5

/* Where the two tails of a normal distribution, and Kolmogorov's distribution, have 0.001. */
#define NORMAL_0_001		3.2905
#define KOLMOGOROV_0_001	1.9495

static int compare(const void *a, const void *b)
{
	const double left = *(const double *)a, right = *(const double *)b;

	return (left > right) - (left < right);
}

/* Return the statistic of Kolmogorov and Smirnov of sorted gaps, for the law with this mean. */
static double distance(const double *gaps, double mean)
{
	const double root = sqrt(GAPS);
	double most = 0;

	for (int i = 0; i < GAPS; i++) {
		const double law = 1 - exp(-gaps[i] / mean);

		most = fmax(most, fmax(law - i / (double)GAPS, (i + 1) / (double)GAPS - law));
	}
	return most * (root + 0.12 + 0.11 / root);
}

static void follows_the_law(double iops)
{
	static double gaps[GAPS];
	unsigned far = 0, dependent = 0;

	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		const double mean = HZ / iops;
		double products = 0, squares = 0;
		struct tw_schedule schedule;
		uint64_t last = 12345;

		tw_schedule_begin(&schedule, last, HZ, iops, true, seed);
		for (int i = 0; i < GAPS; i++) {
			const uint64_t due = tw_schedule_next(&schedule);

			/* In the middle of what is cut to this number of ticks. */
			gaps[i] = (double)(due - last) + 0.5;
			last = due;
			squares += (gaps[i] - mean) * (gaps[i] - mean);
			if (i)
				products += (gaps[i] - mean) * (gaps[i - 1] - mean);
		}
		dependent += fabs(products / squares) * sqrt(GAPS) > NORMAL_0_001;
		qsort(gaps, GAPS, sizeof(*gaps), compare);
		far += distance(gaps, mean) > KOLMOGOROV_0_001;
	}
	tap_note("%.0f a second: p < 0.001 for %u of %u seeds; with the gap before: %u", iops, far,
		 SEEDS, dependent);
	tap_ok(far <= MAY_FAIL, "gaps follow the exponential law: %.0f a second", iops);
	tap_ok(dependent <= MAY_FAIL, "and none depends on the one before");
}

static void is_regular(double iops)
{
	struct tw_schedule schedule;
	unsigned wrong = 0;

	tw_schedule_begin(&schedule, 1000, HZ, iops, false, 7);
	for (uint64_t i = 1; i <= 10000000; i++) {
		const long double right = 1000 + (long double)i * HZ / (long double)iops;

		wrong += fabsl((long double)tw_schedule_next(&schedule) - right) > 1;
	}
	tap_ok(!wrong, "regular: each of 10,000,000 is due to the tick at %.0f a second", iops);
}

static void is_seeded(void)
{
	struct tw_schedule one, same, other;
	unsigned differ = 0, same_differ = 0;

	tw_schedule_begin(&one, 0, HZ, 1000, true, 42);
	tw_schedule_begin(&same, 0, HZ, 1000, true, 42);
	tw_schedule_begin(&other, 0, HZ, 1000, true, 43);
	for (int i = 0; i < 100; i++) {
		const uint64_t due = tw_schedule_next(&one);

		same_differ += tw_schedule_next(&same) != due;
		differ += tw_schedule_next(&other) != due;
	}
	tap_ok(!same_differ && differ == 100, "a seed has a schedule of its own, and only one");
	tw_schedule_begin(&one, 0, HZ, 1000, true, 0);
	tap_ok(tw_schedule_next(&one) != tw_schedule_next(&one), "also the seed 0");
}

int main(void)
{
	follows_the_law(1000);
	follows_the_law(500000);
	is_regular(44100);
	is_regular(3000000);
	is_seeded();
	return tap_done();
}
