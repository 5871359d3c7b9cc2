/* SPDX-License-Identifier: MIT */
/*
 * What a watch remembers of its checks; see history.h. Reads no clock and
 * prints nothing.
 */
#include "command/check/history.h"

#include <math.h>
#include <stdlib.h>

#include "base/allocate.h"
#include "machine/steering.h"

static int same_pairs(const struct tw_check_history *history,
		      const struct tw_reliability *result)
{
	unsigned i;

	if (!history->first || history->pairs != result->pairs)
		return 0;
	for (i = 0; i < result->pairs; i++)
		if (history->first[i].base_cpu != result->offsets[i].base_cpu ||
		    history->first[i].cpu != result->offsets[i].cpu)
			return 0;
	return 1;
}

static int is_bounded(const struct tw_cpu_offset *offset)
{
	return offset->low_ticks != -INT64_MAX &&
	       offset->high_ticks != INT64_MAX;
}

/*
 * Relative error of the distance in ticks. The system clock can be this far off
 * while NTP steers it, and the rate is from a short measurement.
 */
#define DISTANCE_ERROR	(TW_NTP_MAX_PPM / 1e6)

/* In ticks, between any moment of the first check and any moment of this
 * check. */
struct distance {
	double min_ticks;
	double max_ticks;
};

static struct distance distance_of(const struct tw_check_history *history,
				   uint64_t begin_ns, uint64_t end_ns, double hz)
{
	struct distance distance = { 0 };

	if (begin_ns > history->first_end_ns)
		distance.min_ticks = (double)(begin_ns -
						history->first_end_ns) *
				       hz / 1e9 * (1 - DISTANCE_ERROR);
	distance.max_ticks = (double)(end_ns - history->first_begin_ns) *
			      hz / 1e9 * (1 + DISTANCE_ERROR);
	return distance;
}

/*
 * Return the smallest slope of a rise. A bound holds at some moment of its
 * check, and it is not known at which. So a rise is divided by the longest
 * possible time between the two moments, a fall by the shortest.
 */
static double min_ppb(double rise_ticks, const struct distance *distance)
{
	return rise_ticks / (rise_ticks > 0 ? distance->max_ticks :
					      distance->min_ticks) * 1e9;
}

/* Widen the interval of pace by one pair. The lower bound leads from the
 * highest possible offset then to the lowest possible offset now. The upper
 * bound leads from the lowest to the highest. */
static void widen_pace(struct tw_check_history *history,
		       const struct tw_cpu_offset *first,
		       const struct tw_cpu_offset *now,
		       const struct distance *distance)
{
	double low_ppb = -INFINITY, high_ppb = INFINITY;

	if (is_bounded(first) && is_bounded(now) && distance->min_ticks > 0) {
		low_ppb = min_ppb((double)now->low_ticks -
				    (double)first->high_ticks, distance);
		high_ppb = -min_ppb((double)first->low_ticks -
				      (double)now->high_ticks, distance);
	}
	history->pace_low_ppb = fmin(history->pace_low_ppb, low_ppb);
	history->pace_high_ppb = fmax(history->pace_high_ppb, high_ppb);
}

/* Keep these offsets; later ones are compared with them. */
static void begin_anew(struct tw_check_history *history,
		      const struct tw_reliability *result,
		      uint64_t begin_ns, uint64_t end_ns)
{
	free(history->first);
	history->first = tw_zalloc(result->pairs, sizeof(*history->first));
	for (unsigned i = 0; i < result->pairs; i++)
		history->first[i] = result->offsets[i];
	history->pairs = result->pairs;
	history->first_begin_ns = begin_ns;
	history->first_end_ns = end_ns;
}

static void remember_offsets(struct tw_check_history *history,
			    const struct tw_reliability *result,
			    uint64_t begin_ns, uint64_t end_ns)
{
	struct distance distance;
	unsigned i;

	if (!same_pairs(history, result))
		begin_anew(history, result, begin_ns, end_ns);
	history->pace_low_ppb = result->pairs ? INFINITY : -INFINITY;
	history->pace_high_ppb = -history->pace_low_ppb;
	distance = distance_of(history, begin_ns, end_ns, result->hz);
	for (i = 0; i < result->pairs; i++)
		widen_pace(history, &history->first[i], &result->offsets[i],
			   &distance);
}

void tw_check_remember(struct tw_check_history *history,
		      const struct tw_check *check, uint64_t begin_ns,
		      uint64_t end_ns)
{
	remember_offsets(history, &check->result, begin_ns, end_ns);
	if (!history->checks)
		history->begin_ns = end_ns;
	history->last = *check;
	history->last.result.offsets = NULL;
	history->last_ns = end_ns;
	history->checks++;
	history->verdicts[check->result.verdict]++;
	history->reasons |= check->result.reasons;
}

void tw_check_forget(struct tw_check_history *history)
{
	free(history->first);
	history->first = NULL;
}

enum tw_verdict tw_check_worst(const struct tw_check_history *history)
{
	if (history->verdicts[TW_UNRELIABLE])
		return TW_UNRELIABLE;
	return history->verdicts[TW_UNDECIDED] ? TW_UNDECIDED : TW_RELIABLE;
}
