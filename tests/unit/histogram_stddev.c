/* SPDX-License-Identifier: MIT */
/*
 * The standard deviation is the sample's, and survives values far from zero.
 * Fails if it is computed as a difference of large squares, which leaves
 * nothing of 100 ns around an hour, or if n replaces n - 1.
 */
#include <math.h>

#include "tap.h"
#include "tickwise.h"

static struct tw_histogram histogram;

static void is_near(double is, double should, double tolerance,
		    const char *what)
{
	if (!tap_ok(fabs(is - should) <= tolerance, "%s", what))
		tap_note("is %.9g, should be %.9g", is, should);
}

int main(void)
{
	uint64_t far_ns = 1ULL << 42, width;
	double centre;

	if (!tap_ok(!tw_histogram_init(&histogram, 5), "init"))
		return tap_done();
	tw_histogram_add(&histogram, 7);
	is_near(tw_histogram_stddev_ns(&histogram), 0, 0, "one value: 0");
	tw_histogram_add(&histogram, 9);
	/* ((7-8)^2 + (9-8)^2) / (2-1) = 2; bins of one value, so only doubles'
	 * rounding is left. */
	is_near(tw_histogram_stddev_ns(&histogram), sqrt(2), 1e-12,
		"7 and 9: the root of 2");

	/* Two neighbouring bins above 2^42 ns, 73 minutes, half of the values
	 * in each: half a bin off the mean, times the root of n / (n - 1). */
	tw_histogram_reset(&histogram);
	width = 1ULL << (42 - histogram.bits);
	for (int i = 0; i < 1000; i++) {
		tw_histogram_add(&histogram, far_ns);
		tw_histogram_add(&histogram, far_ns + width);
	}
	centre = (double)width / 2 * sqrt(2000.0 / 1999);
	/* The running mean is rounded to 2^-11 ns here, 2000 times at most. */
	is_near(tw_histogram_stddev_ns(&histogram), centre, 1,
		"two bins above an hour: half a bin's width");

	tw_histogram_reset(&histogram);
	for (int i = 0; i < 1000; i++)
		tw_histogram_add(&histogram, far_ns + 1);
	is_near(tw_histogram_stddev_ns(&histogram), 0, 0,
		"one value a thousand times: 0");
	tw_histogram_free(&histogram);
	return tap_done();
}
