/* SPDX-License-Identifier: MIT */
/*
 * Finds the pace of counters that run at different rates. Their offset is a
 * line over the base's ticks, below every upper bound and above every lower
 * one. An upper bound before a lower one limits how slowly the line rises, an
 * upper bound after it how fast. All these limits together are exactly the
 * slopes of the lines that fit.
 */
#include "judge.h"

#include <math.h>

/* A bound's slope is the least that rises so much over a distance, which is only known to
 * a step. */
static void narrow(struct tw_cpu_offset *offset, const struct tw_judge_bound *upper,
		   const struct tw_judge_bound *lower, double step_ticks)
{
	double distance = (double)(int64_t)(lower->at_ticks - upper->at_ticks);
	double rise = (double)lower->ticks - (double)upper->ticks;
	double slope_ppb = rise / (fabs(distance) + (rise > 0 ? step_ticks : -step_ticks)) * 1e9;

	if (distance > step_ticks)
		offset->pace_low_ppb = fmax(offset->pace_low_ppb, slope_ppb);
	if (distance < -step_ticks)
		offset->pace_high_ppb = fmin(offset->pace_high_ppb, -slope_ppb);
}

int tw_pace_fit(const struct tw_pace_bounds *bounds,
		struct tw_cpu_offset *offset)
{
	double low_ppb;

	offset->pace_low_ppb = -INFINITY;
	offset->pace_high_ppb = INFINITY;
	for (unsigned i = 0; i < bounds->uppers; i++)
		for (unsigned k = 0; k < bounds->lowers; k++)
			narrow(offset, &bounds->upper[i], &bounds->lower[k],
			       bounds->step_ticks);
	if (offset->pace_low_ppb <= offset->pace_high_ppb)
		return 1;
	low_ppb = offset->pace_high_ppb;
	offset->pace_high_ppb = fmax(offset->pace_low_ppb, 0);
	offset->pace_low_ppb = fmin(low_ppb, 0);
	return 0;
}

static int64_t add(int64_t ticks, double more)
{
	double sum = (double)ticks + more;

	if (sum >= 0x1p63)
		return INT64_MAX;
	if (sum <= -0x1p63)
		return -INT64_MAX;
	return ticks + (int64_t)more;
}

/* Return a value that no line is beyond when the base shows @at_ticks: above (sign =
 * 1), by the upper bounds, or below (sign = -1). */
static int64_t farthest_at(const struct tw_pace_bounds *bounds, int sign, uint64_t at_ticks,
			   const struct tw_cpu_offset *offset)
{
	const struct tw_judge_bound *from = sign > 0 ? bounds->upper : bounds->lower;
	unsigned count = sign > 0 ? bounds->uppers : bounds->lowers;
	int64_t farthest = sign * INT64_MAX;

	for (unsigned i = 0; i < count; i++) {
		double since = (double)(int64_t)(at_ticks - from[i].at_ticks);
		double low = offset->pace_low_ppb * since / 1e9;
		double high = offset->pace_high_ppb * since / 1e9;
		int64_t ticks = add(from[i].ticks, sign > 0 ? ceil(fmax(low, high)) :
							      floor(fmin(low, high)));

		if (sign > 0 ? ticks < farthest : ticks > farthest)
			farthest = ticks;
	}
	return farthest;
}

void tw_pace_span(const struct tw_pace_bounds *bounds, int fits,
		  struct tw_cpu_offset *offset)
{
	int64_t low = INT64_MAX, high = -INT64_MAX;

	if (fits && isfinite(offset->pace_low_ppb) && isfinite(offset->pace_high_ppb)) {
		/* A line is lowest and highest at its ends. */
		for (unsigned i = 0; i < 2; i++) {
			uint64_t at = i ? bounds->end_ticks : bounds->begin_ticks;
			int64_t below = farthest_at(bounds, -1, at, offset);
			int64_t above = farthest_at(bounds, 1, at, offset);

			low = below < low ? below : low;
			high = above > high ? above : high;
		}
	} else {
		for (unsigned i = 0; i < bounds->lowers; i++)
			if (bounds->lower[i].ticks < low)
				low = bounds->lower[i].ticks;
		for (unsigned i = 0; i < bounds->uppers; i++)
			if (bounds->upper[i].ticks > high)
				high = bounds->upper[i].ticks;
	}
	offset->low_ticks = low;
	offset->high_ticks = high;
}
