/* SPDX-License-Identifier: MIT */
/*
 * A clock made by hand, for tests of all but its calibration.
 */
#ifndef TW_TESTS_CLOCK_BY_HAND_H
#define TW_TESTS_CLOCK_BY_HAND_H

#include "clock/clock.h"
#include "tap.h"

/* The state is that of a clock that was just set up. */
static inline void by_hand(struct tw_clock *clock, struct tw_clock_state *state,
			   struct tw_rate rate, uint64_t base_ticks, uint64_t base_ns)
{
	rate.size = sizeof(rate);
	*state = (struct tw_clock_state) { .rate = rate };
	*clock = (struct tw_clock) {
		.base_ticks = base_ticks, .base_ns = base_ns, .state = state,
	};
	tw_scale_init(&clock->scale, &rate, 0);
}

#endif
