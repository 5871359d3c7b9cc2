/* SPDX-License-Identifier: MIT */
/*
 * What tw_interval() needs of this machine, noted when a clock is set up; and
 * what it shares with a clock's health.
 */
#ifndef TW_CLOCK_INTERVAL_H
#define TW_CLOCK_INTERVAL_H

#include "clock.h"

/* Sets what reading adds, in the state of @clock. Some 20 us. */
void tw_interval_read_cost(struct tw_clock *clock);

/* A CPU's offset as tw_reliability_measure() gives it, in nanoseconds; infinite
 * where a bound is missing. */
double tw_offset_ns(int64_t ticks, double hz);

#endif
