/* SPDX-License-Identifier: MIT */
/*
 * Lines of offset over time that pass between bounds. Internal.
 */
#ifndef TW_ESTIMATE_PACE_H
#define TW_ESTIMATE_PACE_H

#include "order.h"

/* The offset was less than @ticks, or more, when the base showed @at_ticks. */
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
	double step_ticks;	/* at_ticks is good to that */
};

/**
 * tw_pace_fit - the slopes of all lines between the bounds
 * @bounds: of one pair
 * @offset: its pace is set
 *
 * Return: 1 when there are such lines; 0 when there is none: the offset jumped.
 * Then the pace encloses 0 and what it looked like. Pure.
 */
int tw_pace_fit(const struct tw_pace_bounds *bounds,
		struct tw_cpu_offset *offset);

/**
 * tw_pace_span - the offset's interval where no constant one fits
 * @bounds: of one pair
 * @fits: what tw_pace_fit() said
 * @offset: has its pace; low_ticks and high_ticks are set
 *
 * All that lines between the bounds pass on the way from the first to the last
 * reading. Where none fits, from the lowest to the highest bound: what it was
 * seen at. Pure.
 */
void tw_pace_span(const struct tw_pace_bounds *bounds, int fits,
		  struct tw_cpu_offset *offset);

#endif
