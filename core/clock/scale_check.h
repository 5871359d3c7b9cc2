/* SPDX-License-Identifier: MIT */
/*
 * The analytic check of a scale. Internal.
 */
#ifndef TW_CLOCK_SCALE_CHECK_H
#define TW_CLOCK_SCALE_CHECK_H

#include "tickwise.h"

/*
 * Check at its corners what a scale promises. Return which promise @scale, made
 * from
 * @rate, breaks for some ticks up to max_ticks; NULL if none.
 */
const char *tw_scale_check(const struct tw_scale *scale,
			   const struct tw_rate *rate);

#endif
