/* SPDX-License-Identifier: MIT */
/*
 * What tw_interval() must know of this machine, measured when a clock is set
 * up; and what it shares with the clock's health. Internal.
 */
#ifndef TW_CLOCK_INTERVAL_H
#define TW_CLOCK_INTERVAL_H

#include "clock.h"

/* Measure what a reading adds, and keep it in the state of @clock. Takes some
 * 20 us. */
void tw_interval_read_cost(struct tw_clock *clock);

/* Convert an offset of tw_reliability_measure() to nanoseconds. The result is
 * infinite where a bound is missing. */
double tw_offset_ns(int64_t ticks, double hz);

#endif
