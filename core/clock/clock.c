/* SPDX-License-Identifier: MIT */
/*
 * A clock's state, its rate, and the slow paths of its readers.
 */
#include "clock.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

#include "counter/state.h"
#include "sized.h"
#include "timespec.h"

/* Where a clock is not in the caches, a second cache line would make a reading cost
 * twice as much (tests/bench/working_set.c at d20ef3b3) */
_Static_assert(offsetof(struct tw_clock, scale.max_ticks) < 64,
	       "a clock is read from one cache line");
_Static_assert(sizeof(struct tw_clock) == 192, "programs know its size");

int tw_clock_new(struct tw_clock *clock)
{
	struct tw_clock_state *state = calloc(1, sizeof(*state));

	if (!state)
		return -ENOMEM;
	state->rate.size = sizeof(state->rate);
	*clock = (struct tw_clock) { .state = state };
	return 0;
}

void tw_clock_free(struct tw_clock *clock)
{
	free(clock->state);
	*clock = (struct tw_clock) { 0 };
}

int tw_clock_rate(const struct tw_clock *clock, struct tw_rate *rate)
{
	int ret = tw_sized_check(rate->size, TW_FIRST_RATE);

	if (!ret)
		tw_sized_give(rate, &clock->state->rate, sizeof(clock->state->rate));
	return ret;
}

uint64_t tw__clock_ns_slow(const struct tw_clock *clock, uint64_t ticks)
{
	uint64_t since = ticks - clock->base_ticks;
	struct timespec now;

	if (clock->system) {
		if (clock->system == 1)
			clock_gettime(clock->clock_id, &now);
		else
			tw_system_clock_call(clock->clock_id, &now);
		return tw_timespec_ns(&now);
	}
	/* A counter more than a second behind the anchor gives the base: no anchored
	 * clock can mean such a time. */
	if ((int64_t)since < 0)
		since = 0;
	return clock->base_ns + tw_ticks_to_ns(&clock->scale, since);
}

void tw__clock_timespec_slow(uint64_t ns, uint64_t *second_ns,
			    struct timespec *ts)
{
	*ts = tw_timespec_of(ns);
	*second_ns = ns - (uint64_t)ts->tv_nsec;
}
