/* SPDX-License-Identifier: MIT */
/*
 * Makes intervals of offset and pace from the smallest differences of every two
 * CPUs, and reasons from the intervals. judge.h explains the arithmetic;
 * trust.c decides.
 */
#include "judge.h"

#include <math.h>

#include "counter/step.h"

struct judging {
	struct tw_reliability *result;
	const struct tw_cpu_samples *cpus;
	unsigned count;
	const struct tw_judge_limits *limits;
	struct tw_judge_work *work;
	int64_t reach_ticks;		/* of a reading: its step */
};

static size_t edge(const struct judging *judging, unsigned earlier,
		   unsigned later)
{
	return (size_t)later * judging->count + earlier;
}

/* Return the bound that a difference of two readings gives: see judge.h. */
static int64_t bound(const struct judging *judging, int64_t difference_ticks)
{
	return difference_ticks > TW_NO_BOUND_TICKS - judging->reach_ticks ?
	       TW_NO_BOUND_TICKS : difference_ticks + judging->reach_ticks;
}

/* Add up two bounds. Neither is negative, so the sum fits in 64 bits, and a missing
 * bound stays missing. There is no branch, since this runs count^3 times. */
static void add_up(int64_t *whole_ticks, const int64_t *parts_ticks,
		   int64_t rest_ticks, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		uint64_t sum = (uint64_t)parts_ticks[i] + (uint64_t)rest_ticks;
		uint64_t is = (uint64_t)whole_ticks[i];

		whole_ticks[i] = (int64_t)(sum < is ? sum : is);
	}
}

/*
 * Combine bounds: one of q against p and one of r against q bound r against p. With
 * many CPUs, two given ones rarely follow each other directly, but each has others that
 * do: the shortest paths (Floyd and Warshall) find these. That is only done if no
 * counter ran backwards: then no difference is negative.
 */
static void combine(const struct judging *judging)
{
	unsigned count = judging->count;

	for (unsigned via = 0; via < count; via++) {
		const int64_t *parts = judging->work->whole_ticks +
				       edge(judging, 0, via);

		for (unsigned later = 0; later < count; later++) {
			int64_t *whole = judging->work->whole_ticks +
					 edge(judging, 0, later);

			if (later != via && whole[via] != TW_NO_BOUND_TICKS)
				add_up(whole, parts, whole[via], count);
		}
	}
}

/* Gather a pair's bounds and when they hold: an upper bound at its earlier reading, a
 * lower one at its later one. Both are readings of the base. */
static void gather_bounds(const struct judging *judging, unsigned base,
			  unsigned other, struct tw_pace_bounds *bounds)
{
	const struct tw_cpu_samples *samples = &judging->cpus[base];
	size_t edges = (size_t)judging->count * judging->count;

	bounds->uppers = 0;
	bounds->lowers = 0;
	bounds->step_ticks = (double)judging->reach_ticks;
	bounds->begin_ticks = samples->count ? samples->samples[0].ticks : 0;
	bounds->end_ticks = samples->count ?
			    samples->samples[samples->count - 1].ticks : 0;
	for (unsigned i = 0; i < TW_JUDGE_SLOTS; i++) {
		const struct tw_judge_bound *slots = judging->work->slots + i * edges;
		struct tw_judge_bound up = slots[edge(judging, base, other)];
		struct tw_judge_bound down = slots[edge(judging, other, base)];

		if (up.ticks != TW_NO_BOUND_TICKS)
			bounds->upper[bounds->uppers++] = (struct tw_judge_bound){
				bound(judging, up.ticks), up.at_ticks,
			};
		if (down.ticks != TW_NO_BOUND_TICKS)
			bounds->lower[bounds->lowers++] = (struct tw_judge_bound){
				-bound(judging, down.ticks),
				down.at_ticks + (uint64_t)down.ticks,
			};
	}
}

/*
 * Fill in a pair, and return the reasons that follow. If no constant offset fits, it moved.
 * At one pace, if any fits: then the pace is judged, and the offset only if it was never 0.
 * Otherwise in a jump, which counts as an interval without 0, and not as a pace.
 */
static unsigned judge_pair(const struct judging *judging, unsigned base,
			   unsigned other, struct tw_cpu_offset *offset)
{
	size_t up = edge(judging, base, other), down = edge(judging, other, base);
	double limit_ppb = judging->limits->pace_limit_ppb;
	const struct tw_judge_work *work = judging->work;
	struct tw_pace_bounds bounds;
	unsigned reasons = 0;
	int fits, moved;

	offset->base_cpu = judging->cpus[base].cpu;
	offset->cpu = judging->cpus[other].cpu;
	offset->low_ticks = -work->whole_ticks[down];
	offset->high_ticks = work->whole_ticks[up];
	offset->bounds = work->narrowed[up] + work->narrowed[down];
	if (offset->low_ticks == -TW_NO_BOUND_TICKS || offset->high_ticks == TW_NO_BOUND_TICKS)
		reasons |= TW_REASON_STATISTICS;
	gather_bounds(judging, base, other, &bounds);
	fits = tw_pace_fit(&bounds, offset);
	moved = offset->low_ticks >= offset->high_ticks;
	if (moved)
		tw_pace_span(&bounds, fits, offset);
	/* The bounds themselves are no possible values. */
	if (offset->low_ticks >= 0 || offset->high_ticks <= 0 || !fits)
		reasons |= TW_REASON_OFFSET;
	if (!moved && (-offset->low_ticks > judging->limits->tolerance_ticks ||
		       offset->high_ticks > judging->limits->tolerance_ticks))
		reasons |= TW_REASON_TOLERANCE;
	if (offset->pace_low_ppb > limit_ppb || offset->pace_high_ppb < -limit_ppb)
		reasons |= TW_REASON_PACE;
	return reasons;
}

static unsigned judge_pairs(const struct judging *judging)
{
	struct tw_reliability *result = judging->result;
	unsigned reasons = 0;

	result->pairs = 0;
	/* The base's own offset of 0 belongs to the result: two CPUs that are 5 s apart are
	 * 5 s apart, and not just the width of the interval. */
	result->offset_low_ticks = 0;
	result->offset_high_ticks = 0;
	/* One CPU alone has no pace. */
	result->pace_low_ppb = judging->count > 1 ? INFINITY : 0;
	result->pace_high_ppb = judging->count > 1 ? -INFINITY : 0;
	for (unsigned base = 0; base < judging->count; base++) {
		for (unsigned other = base + 1; other < judging->count; other++) {
			struct tw_cpu_offset *offset =
				&result->offsets[result->pairs++];

			reasons |= judge_pair(judging, base, other, offset);
			if (offset->low_ticks < result->offset_low_ticks)
				result->offset_low_ticks = offset->low_ticks;
			if (offset->high_ticks > result->offset_high_ticks)
				result->offset_high_ticks = offset->high_ticks;
			result->pace_low_ppb = fmin(result->pace_low_ppb,
						    offset->pace_low_ppb);
			result->pace_high_ppb = fmax(result->pace_high_ppb,
						     offset->pace_high_ppb);
		}
	}
	return reasons;
}

/* With this many readings a slow counter (10 MHz) has moved between them. */
#define MIN_TO_STAND_STILL	16

static unsigned judge_cpus(const struct judging *judging)
{
	uint64_t least = judging->limits->least_switches;
	unsigned reasons = 0;

	for (unsigned i = 0; i < judging->count; i++) {
		const struct tw_cpu_samples *cpu = &judging->cpus[i];
		uint64_t had = judging->count == 1 ?
			       cpu->probes : judging->work->cpus[i].switches;
		size_t equal = 0;

		while (equal < cpu->count &&
		       cpu->samples[equal].ticks == cpu->samples[0].ticks)
			equal++;
		judging->result->probes += cpu->probes;
		if (equal == cpu->count && equal > 1 && cpu->probes >= MIN_TO_STAND_STILL)
			reasons |= TW_REASON_STANDS_STILL;
		if (had < least || cpu->count < 2)
			reasons |= TW_REASON_STATISTICS;
	}
	if (judging->count == 1)
		reasons |= TW_REASON_ONE_CPU;
	return reasons;
}

void tw_judge(struct tw_reliability *result, const struct tw_cpu_samples *cpus,
	      unsigned count, const struct tw_judge_limits *limits,
	      struct tw_judge_work *work)
{
	struct judging judging = {
		result, cpus, count, limits, work,
		(int64_t)tw_step_reach_ticks(limits->step_ticks),
	};
	unsigned reasons, pair_reasons;

	tw_order_walk(result, work, cpus, count);
	result->cpus = count;
	result->monotonic = result->backwards == 0;
	result->probes = 0;
	result->step_ticks = limits->step_ticks;
	for (size_t i = 0; i < (size_t)count * count; i++)
		work->whole_ticks[i] = bound(&judging, work->whole_ticks[i]);
	reasons = judge_cpus(&judging);
	pair_reasons = judge_pairs(&judging);
	if (result->monotonic && (pair_reasons & TW_REASON_TOLERANCE)) {
		combine(&judging);
		pair_reasons = judge_pairs(&judging);
	}
	reasons |= pair_reasons;
	if (!result->monotonic)
		reasons |= TW_REASON_BACKWARDS;
	result->reasons = reasons;
}
