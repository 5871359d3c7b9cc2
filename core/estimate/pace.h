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

/**
 * tw_pace_fit - find the slopes of all lines between the bounds
 * @bounds: of one pair
 * @offset: its pace is set
 *
 * Return: 1 if there is such a line. 0 if there is none: the offset jumped.
 * Then the interval of the pace contains 0 and the slopes that contradict each
 * other. Pure.
 */
int tw_pace_fit(const struct tw_pace_bounds *bounds,
		struct tw_cpu_offset *offset);

/**
 * tw_pace_span - find the interval of an offset that is not constant
 * @bounds: of one pair
 * @fits: the result of tw_pace_fit()
 * @offset: has its pace; low_ticks and high_ticks are set
 *
 * The interval covers all that lines between the bounds reach from the first to
 * the last reading. If no line fits, it goes from the lowest to the highest
 * bound. Pure.
 */
void tw_pace_span(const struct tw_pace_bounds *bounds, int fits,
		  struct tw_cpu_offset *offset);

#endif
