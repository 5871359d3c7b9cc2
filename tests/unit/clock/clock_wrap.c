/* SPDX-License-Identifier: MIT */
/*
 * Computes the seconds until a 64-bit counter wraps, at any rate.
 *
 * Fails if the 2^64 ticks that are left overflow in the computation, as they do in
 * integers times 1e9 at counters below 1 GHz. Fails also if an invalid rate gives a time
 * to rely on.
 *
 * Also on other processors.
 */
#include <math.h>

#include "tap.h"
#include "tickwise.h"

/* 2^-52 for the conversion of the ticks to a double, and as much for the division. */
static int is_near(double is, double should)
{
	return fabs(is - should) <= fabs(should) * 0x1p-51;
}

int main(void)
{
	static const double rates[] = {
		10e6, 24e6, 25e6, 54e6, 62.5e6, 100e6, 999999999.0, 1e9, 2.6e9, 10e9,
	};

	for (unsigned i = 0; i < sizeof(rates) / sizeof(*rates); i++)
		tap_ok(is_near(tw_seconds_before_wrap(0, rates[i]), 0x1p64 / rates[i]),
		       "all of 2^64 ticks at %.9g Hz", rates[i]);
	tap_ok(is_near(tw_seconds_before_wrap(1ULL << 63, 24e6), 0x1p63 / 24e6) &&
	       tw_seconds_before_wrap(UINT64_MAX, 24e6) == 1 / 24e6 &&
	       tw_seconds_before_wrap(UINT64_MAX - 23999999, 24e6) == 1,
	       "half of them, the last tick, the last second");
	tap_ok(tw_seconds_before_wrap(0, 0) == 0 && tw_seconds_before_wrap(0, -1e9) == 0 &&
	       tw_seconds_before_wrap(0, (double)NAN) == 0 &&
	       tw_seconds_before_wrap(0, (double)INFINITY) == 0,
	       "0 Hz, a negative rate, no number, infinity: nothing is promised");
	return tap_done();
}
