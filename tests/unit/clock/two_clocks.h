/* SPDX-License-Identifier: MIT */
/*
 * A counter and a system clock computed from it, for tests. The clock is exactly
 * ticks * mult >> shift, as the kernel makes it. Both advance by the cost of a
 * reading, with jitter and now and then an interruption.
 */
#ifndef TW_TESTS_TWO_CLOCKS_H
#define TW_TESTS_TWO_CLOCKS_H

#include "tap.h"
#include "tickwise.h"

struct two_clocks {
	uint64_t ticks;
	uint64_t mult;			/* may change on the way: */
	unsigned shift;
	uint64_t from_ticks, from_ns;	/* since then it is this mult */
	uint64_t random;
};

static void two_clocks_pass(struct two_clocks *clocks)
{
	uint64_t random = tap_random(&clocks->random);

	clocks->ticks += 30 + random % 4;
	if ((random >> 8) % 500 == 0)
		clocks->ticks += 2000 + (random >> 40) % 2000;
}

static uint64_t two_clocks_ns(const struct two_clocks *clocks)
{
	__extension__ typedef unsigned __int128 u128;

	return clocks->from_ns +
	       (uint64_t)((u128)(clocks->ticks - clocks->from_ticks) *
			  clocks->mult >> clocks->shift);
}

/* Change the multiplier; time goes on from its present value. */
static inline void two_clocks_change(struct two_clocks *clocks, uint64_t mult,
			      unsigned shift)
{
	clocks->from_ns = two_clocks_ns(clocks);
	clocks->from_ticks = clocks->ticks;
	clocks->mult = mult;
	clocks->shift = shift;
}

static uint64_t two_clocks_read_ticks(void *context)
{
	two_clocks_pass(context);
	return ((struct two_clocks *)context)->ticks;
}

static uint64_t two_clocks_read_ns(void *context)
{
	two_clocks_pass(context);
	return two_clocks_ns(context);
}

static struct tw_time_source two_clocks_source(struct two_clocks *clocks,
					       int is_clocksource)
{
	return (struct tw_time_source) {
		.size = sizeof(struct tw_time_source),
		.read_ticks = two_clocks_read_ticks,
		.read_ns = two_clocks_read_ns,
		.context = clocks,
		.granularity_ns = 1,
		.counter_is_clocksource = is_clocksource,
	};
}

#endif
