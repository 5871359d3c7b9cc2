/* SPDX-License-Identifier: MIT */
/*
 * The standard deviation is the sample's, and that of the values, not of bins. It
 * survives values far from zero, any order, and merging; from bins alone it is that
 * of the bins, also where the squares of some of the values are not known. Fails if
 * it is computed as a difference of large squares in doubles, which leaves nothing
 * of 100 ns around an hour. Fails also if n replaces n - 1, or if the squares wrap.
 */
#include <math.h>

#include "latency/histogram.h"
#include "tap.h"
#include "tickwise.h"

#define MANY	10000

static struct tw_histogram histogram;

static void is_near(double is, double should, double tolerance,
		    const char *what)
{
	if (!tap_ok(fabs(is - should) <= tolerance, "%s", what))
		tap_note("is %.17g, should be %.17g", is, should);
}

/* Compute it in two passes over the values themselves, with the mean first. */
static double stddev_of(const uint64_t *values, unsigned count)
{
	long double sum = 0, squares = 0;

	for (unsigned i = 0; i < count; i++)
		sum += values[i];
	for (unsigned i = 0; i < count; i++) {
		long double off = values[i] - sum / count;

		squares += off * off;
	}
	return (double)sqrtl(squares / (count - 1));
}

/*
 * @spread values above @least, in bins of a tenth of their value. Ours is rounded
 * as a double some five times, by 2^-53 each; the other one adds ten thousand long
 * doubles.
 */
static void check_values(uint64_t least, uint64_t spread, const char *what)
{
	static uint64_t values[MANY];
	uint64_t state = tap_seed();
	struct tw_histogram half;
	double should;

	if (!tap_ok(!tw_histogram_init(&histogram, 1) &&
		    !tw_histogram_init(&half, 1), "init"))
		return;
	for (unsigned i = 0; i < MANY; i++) {
		values[i] = least + tap_random(&state) % spread;
		tw_histogram_add(i % 2 ? &histogram : &half, values[i]);
	}
	tap_ok(!tw_histogram_merge(&histogram, &half), "merged");
	should = stddev_of(values, MANY);
	is_near(tw_histogram_stddev_ns(&histogram), should, should * 1e-14,
		what);
	tw_histogram_free(&half);
	tw_histogram_free(&histogram);
}

/*
 * Two neighbouring bins above 2^42 ns, 73 minutes, half of the values in each: half
 * a bin from the mean, times the root of n / (n - 1).
 */
static void check_bins_alone(void)
{
	uint64_t far_ns = 1ULL << 42, width;
	uint32_t bin;

	if (!tap_ok(!tw_histogram_init(&histogram, 5), "init"))
		return;
	width = 1ULL << (42 - histogram.bits);
	bin = tw__histogram_bin(&histogram, far_ns);
	tap_ok(!tw_histogram_add_bin(&histogram, bin, 1000) &&
	       !tw_histogram_add_bin(&histogram, bin + 1, 1000), "two bins");
	histogram.min_ns = far_ns;
	histogram.max_ns = far_ns + width;
	histogram.sum_ns = 2000 * far_ns + 1000 * width;
	/* The running mean is rounded to 2^-11 ns here, 2000 times at most. */
	is_near(tw_histogram_stddev_ns(&histogram),
		(double)width / 2 * sqrt(2000.0 / 1999), 1,
		"of bins above an hour, without their values: half a bin");
	tw_histogram_free(&histogram);
}

/*
 * With 5 digits each of these values has a bin of its own, so the bins alone give
 * the same as the values. @first: the squares of the histogram that others are
 * merged into are known, else those of the others.
 */
static void check_half_known(int first)
{
	static const uint64_t values[] = { 100, 2021, 3000, 4042 };
	struct tw_histogram bins;
	double should = stddev_of(values, 4);

	if (!tap_ok(!tw_histogram_init(&histogram, 5) &&
		    !tw_histogram_init(&bins, 5), "init"))
		return;
	tw_histogram_add(&histogram, values[0]);
	tw_histogram_add(&histogram, values[2]);
	for (int i = 1; i < 4; i += 2)
		tap_ok(!tw_histogram_add_bin(&bins, tw__histogram_bin(&bins,
					     values[i]), 1), "a bin alone");
	bins.min_ns = values[1];
	bins.max_ns = values[3];
	bins.sum_ns = values[1] + values[3];
	tap_ok(!(first ? tw_histogram_merge(&histogram, &bins) :
			 tw_histogram_merge(&bins, &histogram)), "merged");
	/* Rounded some twenty times, by 2^-53 each. */
	is_near(tw_histogram_stddev_ns(first ? &histogram : &bins), should,
		should * 1e-14, first ? "bins alone merged into values" :
					"values merged into bins alone");
	tw_histogram_free(&bins);
	tw_histogram_free(&histogram);
}

int main(void)
{
	uint64_t far_ns = 1ULL << 42;

	if (!tap_ok(!tw_histogram_init(&histogram, 5), "init"))
		return tap_done();
	tw_histogram_add(&histogram, 7);
	is_near(tw_histogram_stddev_ns(&histogram), 0, 0, "one value: 0");
	tw_histogram_add(&histogram, 9);
	/* ((7-8)^2 + (9-8)^2) / (2-1) = 2 */
	is_near(tw_histogram_stddev_ns(&histogram), sqrt(2), 1e-15,
		"7 and 9: the root of 2");
	tw_histogram_reset(&histogram);
	for (int i = 0; i < 1000; i++)
		tw_histogram_add(&histogram, far_ns + 1);
	is_near(tw_histogram_stddev_ns(&histogram), 0, 0,
		"one value a thousand times: 0");
	tw_histogram_reset(&histogram);
	/* Their squares need 127 bits: 2 (2^63 / 2)^2. */
	tw_histogram_add(&histogram, 0);
	tw_histogram_add(&histogram, 1ULL << 63);
	is_near(tw_histogram_stddev_ns(&histogram), 0x1p63 / sqrt(2), 0x1p63 / 1e15,
		"0 and 2^63");
	tw_histogram_free(&histogram);

	check_values(0, 2, "zeros and ones");
	check_values(900, 300, "about a microsecond, in bins as wide as 60 ns");
	check_values(far_ns, 100, "100 ns above an hour");
	check_values(1, 1ULL << 50, "anything up to thirteen days");
	check_bins_alone();
	check_half_known(1);
	check_half_known(0);
	return tap_done();
}
