/* SPDX-License-Identifier: MIT */
/*
 * Measures how long the machine has been suspended.
 */
#include "suspend.h"

#include <time.h>

#include "timespec.h"

/* The two clocks differ by the time that the machine slept, and by a constant
 * in a time namespace. The smallest difference is the least disturbed one. */
int64_t tw_suspended_ns(void)
{
	int64_t least = INT64_MAX;
	unsigned tries;

	for (tries = 0; tries < 5; tries++) {
		uint64_t monotonic_ns = tw_clock_id_ns(CLOCK_MONOTONIC);
		int64_t apart = (int64_t)(tw_clock_id_ns(CLOCK_BOOTTIME) -
					  monotonic_ns);

		if (apart < least)
			least = apart;
	}
	return least;
}
