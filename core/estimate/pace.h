/* SPDX-License-Identifier: MIT */
/*
 * Lines of the offset over time that are between the bounds. Internal.
 */
#ifndef TW_ESTIMATE_PACE_H
#define TW_ESTIMATE_PACE_H

#include "order.h"

/* When the base showed @at_ticks, the offset was below @ticks (an upper bound)
 * or above (a lower bound). */
struct tw_pace_bound {
	int64_t ticks;
	uint64_t at_ticks;
};

struct tw_pace_bounds {
	struct tw_pace_bound upper[TW_JUDGE_SLOTS];
	struct tw_pace_bound lower[TW_JUDGE_SLOTS];
	unsigned uppers;
	unsigned lowers;
	uint64_t begin_ticks;	/* the base's first and last reading */
	uint64_t end_ticks;
	double step_ticks;	/* the error of at_ticks */
};

/* Set the pace of @offset: the slopes of all lines between the bounds of one pair.
 * Return 1 if there is such a line; 0: the offset jumped, and the interval contains 0
 * and the slopes that contradict each other. */
int tw_pace_fit(const struct tw_pace_bounds *bounds,
		struct tw_cpu_offset *offset);

/* Set low_ticks and high_ticks of an @offset that is not constant, with @fits from
 * tw_pace_fit(): all that lines between the bounds reach from the first to the last
 * reading. If no line fits, from the lowest to the highest bound. */
void tw_pace_span(const struct tw_pace_bounds *bounds, int fits,
		  struct tw_cpu_offset *offset);

#endif
