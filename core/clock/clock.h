/* SPDX-License-Identifier: MIT */
/*
 * The parts that tw_clock_init() is made of. Inside the library.
 */
#ifndef TW_CLOCK_CLOCK_H
#define TW_CLOCK_CLOCK_H

#include "tickwise.h"

/* The clock that the anchor is on, in the terms of a rate. */
enum tw_against tw_anchor_on(enum tw_anchor anchor, enum tw_against against);

/* Calibrate the counter and anchor it. Returns as tw_rate_measure(),
 * tw_scale_init() and tw_clock_mark(). */
int tw_clock_set_up(struct tw_clock *clock,
		    const struct tw_clock_options *options);

/* Read the system clock from now on. @why: kept as clock->system_errno. */
void tw_clock_use_system(struct tw_clock *clock, int why);

#endif
