/* SPDX-License-Identifier: MIT */
/*
 * What tw_interval() shares with the verdict on a clock. Internal.
 */
#ifndef TW_CLOCK_INTERVAL_H
#define TW_CLOCK_INTERVAL_H

#include "clock.h"

/* Convert an offset of tw_reliability_measure() to nanoseconds. The result is
 * infinite where a bound is missing. */
double tw_offset_ns(int64_t ticks, double hz);

#endif
