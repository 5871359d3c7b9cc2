/* SPDX-License-Identifier: MIT */
/*
 * Computes the seconds until a 64-bit counter wraps. Fails if the 2^64 ticks that
 * are left overflow in the computation, as they do in integers times 1e9 at
 * counters below 1 GHz. Fails also if an invalid rate gives a time to rely on.
 *
 * Allowed: 2^-52 for the conversion of the ticks to a double, and as much for
 * the division.
 */
#include <math.h>

#include "tap.h"
#include "tickwise.h"

#define ALL_TICKS	0x1p64

static int is_near(double is, double should)
{
	return fabs(is - should) <= fabs(should) * 0x1p-51;
}

int main(void)
{
	static const double rates[] = {
		10e6, 24e6, 25e6, 54e6, 62.5e6, 100e6, 999999999.0, 1e9, 2.6e9,
		10e9,
	};
	unsigned i;

	for (i = 0; i < sizeof(rates) / sizeof(*rates); i++)
		tap_ok(is_near(tw_seconds_before_wrap(0, rates[i]),
			       ALL_TICKS / rates[i]),
		       "all of 2^64 ticks at %.9g Hz", rates[i]);
	tap_ok(is_near(tw_seconds_before_wrap(1ULL << 63, 24e6),
		       0x1p63 / 24e6), "half of them");
	tap_ok(tw_seconds_before_wrap(UINT64_MAX, 24e6) == 1 / 24e6,
	       "the last tick");
	tap_ok(tw_seconds_before_wrap(UINT64_MAX - 23999999, 24e6) == 1,
	       "the last second");
	tap_ok(tw_seconds_before_wrap(0, 0) == 0, "0 Hz");
	tap_ok(tw_seconds_before_wrap(0, -1e9) == 0, "a negative rate");
	tap_ok(tw_seconds_before_wrap(0, (double)NAN) == 0, "no number");
	tap_ok(tw_seconds_before_wrap(0, (double)INFINITY) == 0, "infinity");
	return tap_done();
}
