/* SPDX-License-Identifier: MIT */
/*
 * From the tightest differences of every two CPUs to intervals of offset and
 * pace, and from these to the verdict. See judge.h for the arithmetic.
 */
#include "judge.h"

#include <math.h>

struct judging {
	struct tw_reliability *result;
	const struct tw_cpu_samples *cpus;
	unsigned count;
	const struct tw_judge_limits *limits;
	struct tw_judge_work *work;
};

/* What is known from @earlier having been read before @later. */
static struct tw_judge_edge *edge(const struct judging *judging,
				  unsigned earlier, unsigned later)
{
	return &judging->work->edges[(size_t)later * judging->count + earlier];
}

/*
 * Offsets add up: what bounds q against p and r against q bounds r against p.
 * With many CPUs two given ones rarely follow each other at once, but each has
 * close company; the shortest paths (Floyd and Warshall) find it. Only done
 * while nothing ran backwards: then no difference is negative, and offsets
 * can be taken as constant over the run as everywhere in whole_ticks.
 */
static void combine(const struct judging *judging)
{
	unsigned count = judging->count;
	unsigned via, later, earlier;

	for (via = 0; via < count; via++) {
		for (later = 0; later < count; later++) {
			int64_t rest = edge(judging, via, later)->whole_ticks;

			if (later == via || rest == TW_NO_BOUND_TICKS)
				continue;
			for (earlier = 0; earlier < count; earlier++) {
				int64_t *old = &edge(judging, earlier,
						     later)->whole_ticks;
				int64_t part = edge(judging, earlier,
						    via)->whole_ticks;

				if (earlier != later && earlier != via &&
				    part < *old && *old - part > rest)
					*old = part + rest;
			}
		}
	}
}

/* What an upper bound in one place and a lower one in another leave. */
static void narrow_pace(struct tw_cpu_offset *offset,
			const struct tw_judge_slot *up,
			const struct tw_judge_slot *down)
{
	/* Both bounds hold at a reading of the base: the earlier one of an
	 * upper bound, the later one of a lower bound. */
	uint64_t down_at = down->at_ticks + (uint64_t)down->ticks;
	int64_t distance = (int64_t)(down_at - up->at_ticks);
	double slope_ppb = ((double)-down->ticks - (double)up->ticks) /
			   (double)distance * 1e9;

	if (distance > 0 && slope_ppb > offset->pace_low_ppb)
		offset->pace_low_ppb = slope_ppb;
	if (distance < 0 && slope_ppb < offset->pace_high_ppb)
		offset->pace_high_ppb = slope_ppb;
}

/*
 * The slopes that fit: a line of offset over the base's ticks that passes
 * below every upper bound and above every lower one. Any upper bound before a
 * lower one limits how slowly it rises, any after one how fast.
 */
static void judge_pace(struct tw_cpu_offset *offset,
		       const struct tw_judge_edge *up,
		       const struct tw_judge_edge *down)
{
	double low_ppb;
	unsigned i, k;

	offset->pace_low_ppb = -INFINITY;
	offset->pace_high_ppb = INFINITY;
	for (i = 0; i < TW_JUDGE_SLOTS; i++)
		for (k = 0; k < TW_JUDGE_SLOTS; k++)
			if (up->slots[i].ticks != TW_NO_BOUND_TICKS &&
			    down->slots[k].ticks != TW_NO_BOUND_TICKS)
				narrow_pace(offset, &up->slots[i],
					    &down->slots[k]);
	if (offset->pace_low_ppb <= offset->pace_high_ppb)
		return;
	/* A jump, no pace: enclose what it looks like. */
	low_ppb = offset->pace_high_ppb;
	offset->pace_high_ppb = offset->pace_low_ppb;
	offset->pace_low_ppb = low_ppb;
}

static int64_t reach(const struct tw_cpu_offset *offset)
{
	return -offset->low_ticks > offset->high_ticks ?
	       -offset->low_ticks : offset->high_ticks;
}

static unsigned judge_pair(const struct judging *judging, unsigned base,
			   unsigned other, struct tw_cpu_offset *offset)
{
	const struct tw_judge_edge *up = edge(judging, base, other);
	const struct tw_judge_edge *down = edge(judging, other, base);
	double limit_ppb = judging->limits->pace_limit_ppb;
	unsigned reasons = 0;

	offset->base_cpu = judging->cpus[base].cpu;
	offset->cpu = judging->cpus[other].cpu;
	offset->low_ticks = -down->whole_ticks;
	offset->high_ticks = up->whole_ticks;
	offset->bounds = up->narrowed + down->narrowed;
	if (up->whole_ticks == TW_NO_BOUND_TICKS ||
	    down->whole_ticks == TW_NO_BOUND_TICKS)
		reasons |= TW_REASON_STATISTICS;
	if (offset->low_ticks > 0 || offset->high_ticks < 0)
		reasons |= TW_REASON_OFFSET;
	else if (reach(offset) > judging->limits->tolerance_ticks)
		reasons |= TW_REASON_TOLERANCE;
	if (offset->low_ticks > offset->high_ticks) {
		/* It moved, and certainly over all that lies between. */
		offset->low_ticks = up->whole_ticks;
		offset->high_ticks = -down->whole_ticks;
	}
	judge_pace(offset, up, down);
	if (offset->pace_low_ppb > limit_ppb ||
	    offset->pace_high_ppb < -limit_ppb)
		reasons |= TW_REASON_PACE;
	return reasons;
}

/* The base's own 0 belongs to what any two readings can differ by: two CPUs 5 s
 * apart are 5 s apart, not the width of the interval. */
static void widen(struct tw_reliability *result,
		  const struct tw_cpu_offset *offset)
{
	if (offset->low_ticks < result->offset_low_ticks)
		result->offset_low_ticks = offset->low_ticks;
	if (offset->high_ticks > result->offset_high_ticks)
		result->offset_high_ticks = offset->high_ticks;
	if (offset->pace_low_ppb < result->pace_low_ppb)
		result->pace_low_ppb = offset->pace_low_ppb;
	if (offset->pace_high_ppb > result->pace_high_ppb)
		result->pace_high_ppb = offset->pace_high_ppb;
}

static unsigned judge_pairs(const struct judging *judging)
{
	struct tw_reliability *result = judging->result;
	unsigned reasons = 0;
	unsigned base, other;

	result->pairs = 0;
	result->offset_low_ticks = 0;
	result->offset_high_ticks = 0;
	/* Of one CPU alone there is none. */
	result->pace_low_ppb = judging->count > 1 ? INFINITY : 0;
	result->pace_high_ppb = judging->count > 1 ? -INFINITY : 0;
	for (base = 0; base < judging->count; base++) {
		for (other = base + 1; other < judging->count; other++) {
			struct tw_cpu_offset *offset =
				&result->offsets[result->pairs++];

			reasons |= judge_pair(judging, base, other, offset);
			widen(result, offset);
		}
	}
	return reasons;
}

/* Enough readings that a slow counter (10 MHz) has moved between them. */
#define LEAST_TO_STAND_STILL	16

static int stands_still(const struct tw_cpu_samples *cpu)
{
	size_t i;

	for (i = 1; i < cpu->count; i++)
		if (cpu->samples[i].ticks != cpu->samples[0].ticks)
			return 0;
	return cpu->count > 1 && cpu->probes >= LEAST_TO_STAND_STILL;
}

static unsigned judge_cpus(const struct judging *judging)
{
	uint64_t least = judging->limits->least_switches;
	unsigned reasons = 0;
	unsigned i;

	for (i = 0; i < judging->count; i++) {
		const struct tw_cpu_samples *cpu = &judging->cpus[i];
		uint64_t had = judging->count == 1 ?
			       cpu->probes : judging->work->cpus[i].switches;

		judging->result->probes += cpu->probes;
		if (stands_still(cpu))
			reasons |= TW_REASON_STANDS_STILL;
		if (had < least || cpu->count < 2)
			reasons |= TW_REASON_STATISTICS;
	}
	if (judging->count == 1)
		reasons |= TW_REASON_ONE_CPU;
	return reasons;
}

static enum tw_verdict verdict_of(unsigned reasons)
{
	if (reasons & (TW_REASON_OFFSET | TW_REASON_PACE |
		       TW_REASON_STANDS_STILL | TW_REASON_BACKWARDS))
		return TW_UNRELIABLE;
	if (reasons & (TW_REASON_TOLERANCE | TW_REASON_STATISTICS))
		return TW_UNDECIDED;
	return TW_RELIABLE;
}

void tw_judge(struct tw_reliability *result, const struct tw_cpu_samples *cpus,
	      unsigned count, const struct tw_judge_limits *limits,
	      struct tw_judge_work *work)
{
	struct judging judging = { result, cpus, count, limits, work };
	struct tw_order order;
	unsigned reasons, pair_reasons;

	tw_order_walk(&order, work, cpus, count);
	result->cpus = count;
	result->backwards = order.backwards;
	result->monotonic = order.backwards == 0;
	result->switches = order.switches;
	result->full_loops = order.full_loops;
	result->probes = 0;
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
	result->verdict = verdict_of(reasons);
}
