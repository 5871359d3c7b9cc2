/* SPDX-License-Identifier: MIT */
/*
 * Runs batches of dependent loads: first a warm-up, and then one timed batch after the
 * other. Computes a point from its batches, by order statistics.
 */
#include "point.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "array.h"
#include "latency/histogram.h"

/* Turns between two reads of the clock while warming up. They take less than a millisecond
 * on the slowest memory. */
#define WARM_TURNS	32
#define MIN_BATCHES	20
/* How often the core's own clock is measured, spread over the batches. It changes by a tenth
 * within a point when the governor or the neighbours do something. */
#define CYCLE_LOOKS	20
#define MAX_BATCHES	20000
/* In a comparison, for each of the two cycles. */
#define TURNS		4
/* The 97.5th percentile of the normal distribution. */
#define SIGMAS_95	1.96

/* ---- figures ---- */

/* The times of batches, in rising order. */
struct times {
	const void *values;
	double (*at)(const void *values, uint64_t rank);	/* ticks; ranks begin at 1 */
};

static double median_of(const struct times *times, uint64_t count)
{
	return (times->at(times->values, (count + 1) / 2) +
		times->at(times->values, (count + 2) / 2)) / 2;
}

/* Return the longest that an undisturbed batch takes, in ticks; @count batches were not
 * interrupted. */
static double limit_of(const struct times *times, uint64_t count, double ns_per_tick)
{
	return median_of(times, count) * 1.5 + 2000 / ns_per_tick;
}

/* The first @good of @all batches are undisturbed. */
static int set_figures(struct tw_memory_point *point, const struct times *times, uint64_t good,
		       uint64_t all, double ns_per_tick)
{
	double load_ns = ns_per_tick / (double)point->loads, count = (double)good;
	double half = SIGMAS_95 * sqrt(count) / 2;
	const struct { double *to_ns, rank; } ranks[] = {
		{ &point->min_ns, 1 }, { &point->p90_ns, ceil(count * 0.9) },
		{ &point->low_ns, fmax(floor(count / 2 - half), 1) },
		{ &point->high_ns, fmin(ceil(count / 2 + 1 + half), count) },
	};

	point->batches = (unsigned)fmin(count, UINT32_MAX);
	point->disturbed = (unsigned)fmin((double)(all - good), UINT32_MAX);
	if (good < TW_MEMORY_MIN_BATCHES)
		return -EAGAIN;
	for (unsigned i = 0; i < TW_LENGTH(ranks); i++)
		*ranks[i].to_ns = load_ns *
				  times->at(times->values, (uint64_t)ranks[i].rank);
	point->median_ns = load_ns * median_of(times, good);
	return 0;
}

static int in_order(const void *left, const void *right)
{
	const struct tw_memory_batch *a = left, *b = right;

	return tw_compare(a->was_interrupted, b->was_interrupted) ?:
	       tw_compare(a->ticks, b->ticks);
}

static double batch_at(const void *values, uint64_t rank)
{
	const struct tw_memory_batch *batches = values;

	return (double)batches[rank - 1].ticks;
}

int tw_memory_evaluate(struct tw_memory_point *point, struct tw_memory_batch *batches,
		       unsigned count, double ns_per_tick)
{
	const struct times times = { batches, batch_at };
	unsigned good = count;
	double limit;

	qsort(batches, count, sizeof(*batches), in_order);
	while (good && batches[good - 1].was_interrupted)
		good--;
	if (good) {
		limit = limit_of(&times, good, ns_per_tick);
		while ((double)batches[good - 1].ticks > limit)
			good--;
	}
	return set_figures(point, &times, good, count, ns_per_tick);
}

static double bin_at(const void *values, uint64_t rank)
{
	const struct tw_histogram *ticks = values;
	uint32_t bin = tw__histogram_bin(ticks, ticks->min_ns);
	uint64_t below = ticks->bins[bin];

	if (rank == 1)
		return (double)ticks->min_ns;
	while (below < rank)
		below += ticks->bins[++bin];
	return (double)tw_histogram_bin_high(ticks, bin);
}

int tw_memory_evaluate_bins(struct tw_memory_point *point, const struct tw_histogram *ticks,
			    uint64_t interrupted, double ns_per_tick)
{
	const struct times times = { ticks, bin_at };
	uint64_t good = 0;

	if (ticks->count) {
		uint32_t last = tw__histogram_bin(ticks, ticks->max_ns);
		double limit = limit_of(&times, ticks->count, ns_per_tick);

		for (uint32_t bin = tw__histogram_bin(ticks, ticks->min_ns); bin <= last &&
		     (double)tw_histogram_bin_low(ticks, bin) <= limit; bin++)
			good += ticks->bins[bin];
	}
	return set_figures(point, &times, good, ticks->count + interrupted, ns_per_tick);
}

/* ---- measuring ---- */

/* Return what a thread can know of its own interruptions. */
static uint64_t interruptions(void)
{
	struct rusage usage;

	if (getrusage(RUSAGE_THREAD, &usage))
		return 0;
	return (uint64_t)usage.ru_nvcsw + (uint64_t)usage.ru_nivcsw +
	       (uint64_t)usage.ru_minflt + (uint64_t)usage.ru_majflt;
}

/* Warm up by one pass, or as much as the time allows, and choose how many loads a batch has.
 * Return the number of batches. */
static unsigned prepare(struct tw_memory_point *point, void **position,
			const struct tw_memory_effort *effort, uint64_t warm_ns,
			double ns_per_tick)
{
	size_t turns = (point->elements + TW_CHASE_UNROLL - 1) / TW_CHASE_UNROLL, done = 0;
	uint64_t begin = tw_ticks_begin(), now = begin, before = begin;
	uint64_t max_ticks = (uint64_t)((double)warm_ns / ns_per_tick);
	double load_ns, count;

	/* Make at least two steps: the last one is warmer than the first. */
	while ((done < turns && now - begin < max_ticks) || done < 2 * WARM_TURNS) {
		*position = tw_chase(*position, WARM_TURNS);
		done += WARM_TURNS;
		before = now;
		now = tw_ticks_end();
	}
	point->warm_passes = (double)(done * TW_CHASE_UNROLL) / (double)point->elements;
	load_ns = ns_per_tick * (double)(now - before) / (WARM_TURNS * TW_CHASE_UNROLL);
	point->loads = ((size_t)((double)effort->batch_ns / load_ns / TW_CHASE_UNROLL) + 1) *
		       TW_CHASE_UNROLL;
	count = (double)effort->point_ns / (load_ns * (double)point->loads);
	return (unsigned)fmin(fmax(count, MIN_BATCHES), MAX_BATCHES);
}

static void *collect(struct tw_memory_batch *batches, unsigned count,
		     tw_chase_function *chase, void *position, uint64_t loads)
{
	for (unsigned i = 0; i < count; i++) {
		uint64_t before = interruptions();
		uint64_t begin = tw_ticks_begin();

		position = chase(position, loads / TW_CHASE_UNROLL);
		batches[i].ticks = tw_ticks_end() - begin;
		batches[i].was_interrupted = interruptions() != before;
	}
	return position;
}

int tw_memory_measure(struct tw_memory_point *point, const struct tw_cycle *cycle,
		      size_t bytes, const struct tw_memory_effort *effort,
		      tw_chase_function *chase, double hz)
{
	struct tw_memory_batch *batches;
	void *position = tw_cycle_first(cycle);
	unsigned count, done = 0;
	double least;
	int ret;

	*point = (struct tw_memory_point) {
		.bytes = bytes, .elements = cycle->count,
		.footprint_bytes = tw_cycle_footprint(&cycle->shape, bytes),
	};
	count = prepare(point, &position, effort, effort->warm_ns, 1e9 / hz);
	batches = calloc(count, sizeof(*batches));
	if (!batches)
		return -ENOMEM;
	/* The fewest counter ticks in a cycle of the core belong to the fastest batch. A median
	 * is slowed by things that this does not see, such as the other thread of the core. */
	least = tw_core_ticks_per_cycle();
	for (unsigned i = 1; i <= CYCLE_LOOKS; i++) {
		unsigned until = count * i / CYCLE_LOOKS;

		position = collect(batches + done, until - done, chase, position, point->loads);
		done = until;
		least = fmin(least, tw_core_ticks_per_cycle());
	}
	point->cycle_ns = 1e9 / hz * least;
	ret = tw_memory_evaluate(point, batches, count, 1e9 / hz);
	free(batches);
	return ret;
}

/* One of the two cycles, and its turns so far. */
struct side {
	struct tw_memory_point point;
	void *position;
	unsigned batches, turns;
	double medians_ns[TURNS];
};

int tw_memory_compare(double ns[2], const struct tw_cycle cycles[2], unsigned first,
		      const struct tw_memory_effort *effort, double hz)
{
	struct tw_memory_batch *batches = calloc(MAX_BATCHES, sizeof(*batches));
	struct side sides[2] = { 0 };
	int ret = batches ? 0 : -ENOMEM;

	/* The caches hold the same lines for both: one pass is enough. */
	for (unsigned i = 0; !ret && i < 2; i++) {
		sides[i].point.elements = cycles[i].count;
		sides[i].position = tw_cycle_first(&cycles[i]);
		sides[i].batches = prepare(&sides[i].point, &sides[i].position, effort,
					   i ? 0 : effort->warm_ns, 1e9 / hz);
	}
	for (unsigned turn = 0; !ret && turn < 2 * TURNS; turn++) {
		struct side *side = &sides[(unsigned)__builtin_parity(turn) ^ first];

		side->position = collect(batches, side->batches, tw_chase, side->position,
					 side->point.loads);
		ret = tw_memory_evaluate(&side->point, batches, side->batches, 1e9 / hz);
		side->medians_ns[side->turns++] = side->point.median_ns;
	}
	for (unsigned i = 0; !ret && i < 2; i++)
		ns[i] = tw_median(sides[i].medians_ns, TURNS);
	free(batches);
	return ret;
}
