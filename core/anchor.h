/* SPDX-License-Identifier: MIT */
/*
 * What a clock shows at one tick of the counter, as an interval: the intersection of brackets,
 * which are readings of the clock between two of the counter. Needs only libc. Internal.
 */
#ifndef TW_ANCHOR_H
#define TW_ANCHOR_H

#include <stdint.h>

/* A clock at one tick: within [low, high] of @ns. */
struct tw_anchor_at {
	uint64_t ticks;
	uint64_t ns;
	double low_ns, high_ns;
};

static inline double tw_difference(uint64_t later, uint64_t earlier)
{
	return (double)(int64_t)(later - earlier);
}

/* Intersect an anchor with a bracket: ticks that enclose the reading @ns, which is rounded
 * down. The clock was below @ns + 1 at @before, and at @ns or above at @after. */
static inline void tw_anchor_narrow(struct tw_anchor_at *anchor, double slope, uint64_t before,
				    uint64_t ns, uint64_t after)
{
	double past_ns = tw_difference(ns, anchor->ns);
	double low_ns = past_ns - tw_difference(after, anchor->ticks) * slope;
	double high_ns = past_ns + 1 - tw_difference(before, anchor->ticks) * slope;

	if (low_ns > anchor->low_ns)
		anchor->low_ns = low_ns;
	if (high_ns < anchor->high_ns)
		anchor->high_ns = high_ns;
}

/* Return an anchor that any bracket narrows. */
static inline struct tw_anchor_at tw_anchor_at(uint64_t ticks, uint64_t ns)
{
	return (struct tw_anchor_at) { ticks, ns, -1e300, 1e300 };
}

#endif
