/* SPDX-License-Identifier: MIT */
/*
 * Computes how long it takes until the counter wraps: pure.
 */
#include <math.h>

#include "tickwise.h"

double tw_seconds_before_wrap(uint64_t ticks, double hz)
{
	if (!(hz > 0) || !isfinite(hz))
		return 0;
	/* UINT64_MAX - ticks is exact, while 2^64 - ticks in doubles is not. */
	return ((double)(UINT64_MAX - ticks) + 1) / hz;
}
