/* SPDX-License-Identifier: MIT */
/*
 * Runs batches of dependent loads: first a warm-up, and then one timed batch
 * after the other.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "chase.h"
#include "point.h"

/* Turns between two reads of the clock while warming up. They take less than a
 * millisecond on the slowest memory. */
#define WARM_TURNS	32
#define MIN_BATCHES	20
/* How often the core's own clock is measured, spread over the batches. It
 * changes by a tenth within a point when the governor or the neighbours do
 * something. */
#define CYCLE_LOOKS	20
#define MAX_BATCHES	20000
/* In a comparison, for each of the two cycles. */
#define TURNS		4

static const struct tw_memory_loop chase = { tw_chase, TW_CHASE_UNROLL };

/* Return what a thread can know of its own interruptions. */
static uint64_t interruptions(void)
{
	struct rusage usage;

	if (getrusage(RUSAGE_THREAD, &usage))
		return 0;
	return (uint64_t)usage.ru_nvcsw + (uint64_t)usage.ru_nivcsw +
	       (uint64_t)usage.ru_minflt + (uint64_t)usage.ru_majflt;
}

/* Make one pass, or as much as the time allows. Return the ticks that a load
 * takes. */
static double warm_up(struct tw_memory_point *point, void **position,
		      uint64_t max_ticks)
{
	size_t turns = (point->elements + TW_CHASE_UNROLL - 1) /
		       TW_CHASE_UNROLL;
	uint64_t begin = tw_ticks_begin(), now = begin, before = begin;
	size_t done = 0, step = 0;

	/* Make at least two steps: the last one is warmer than the first. */
	while ((done < turns && now - begin < max_ticks) ||
	       done < 2 * WARM_TURNS) {
		step = WARM_TURNS;
		*position = tw_chase(*position, step);
		done += step;
		before = now;
		now = tw_ticks_end();
	}
	point->warm_passes = (double)(done * TW_CHASE_UNROLL) /
			     (double)point->elements;
	return (double)(now - before) / (double)(step * TW_CHASE_UNROLL);
}

static void *collect(struct tw_memory_batch *batches, unsigned count,
		     const struct tw_memory_loop *loop, void *position,
		     size_t turns)
{
	for (unsigned i = 0; i < count; i++) {
		uint64_t before = interruptions();
		uint64_t begin = tw_ticks_begin();

		position = loop->run(position, turns);
		batches[i].ticks = tw_ticks_end() - begin;
		batches[i].was_interrupted = interruptions() != before;
	}
	return position;
}

/*
 * Collect all batches. Return the fewest counter ticks in a cycle of the core
 * that were seen meanwhile; 0 if unknown. That belongs to the fastest batch. A
 * median is slowed by things that this does not see, such as the other thread
 * of the core.
 */
static double collect_all(struct tw_memory_batch *batches, unsigned count,
			  const struct tw_memory_loop *loop, void *position,
			  size_t turns)
{
	double least = tw_core_ticks_per_cycle();
	unsigned done = 0;

	for (unsigned i = 0; i < CYCLE_LOOKS; i++) {
		unsigned until = (unsigned)((uint64_t)count * (i + 1) /
					    CYCLE_LOOKS);

		position = collect(batches + done, until - done, loop,
				   position, turns);
		done = until;
		least = fmin(least, tw_core_ticks_per_cycle());
	}
	return least;
}

static unsigned batches_of(const struct tw_memory_effort *effort,
			   double batch_ns)
{
	double count = (double)effort->point_ns / batch_ns;

	if (count < MIN_BATCHES)
		return MIN_BATCHES;
	return count > MAX_BATCHES ? MAX_BATCHES : (unsigned)count;
}

/* Warm up, and choose how many loads a batch has. Return the number of
 * batches. */
static unsigned prepare(struct tw_memory_point *point, void **position,
			const struct tw_memory_effort *effort,
			const struct tw_memory_loop *loop, double ns_per_tick)
{
	double load_ns = ns_per_tick *
			 warm_up(point, position, (uint64_t)(
				 (double)effort->warm_ns / ns_per_tick));

	point->loads = ((size_t)((double)effort->batch_ns / load_ns /
				 loop->unroll) + 1) * loop->unroll;
	return batches_of(effort, load_ns * (double)point->loads);
}

int tw_memory_measure(struct tw_memory_point *point,
		      const struct tw_cycle *cycle, size_t bytes,
		      const struct tw_memory_effort *effort,
		      const struct tw_memory_loop *loop, double hz)
{
	double ns_per_tick = 1e9 / hz;
	struct tw_memory_batch *batches;
	void *position = tw_cycle_first(cycle);
	unsigned count;
	size_t turns;
	int ret;

	*point = (struct tw_memory_point) {
		.bytes = bytes, .elements = cycle->count,
		.footprint_bytes = tw_cycle_footprint(&cycle->shape, bytes),
	};
	if (!loop)
		loop = &chase;
	count = prepare(point, &position, effort, loop, ns_per_tick);
	turns = point->loads / loop->unroll;
	batches = calloc(count, sizeof(*batches));
	if (!batches)
		return -ENOMEM;
	point->cycle_ns = ns_per_tick * collect_all(batches, count, loop,
						    position, turns);
	ret = tw_memory_evaluate(point, batches, count, ns_per_tick);
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

static int take_turn(struct side *side, struct tw_memory_batch *batches,
		     double ns_per_tick)
{
	int ret;

	side->position = collect(batches, side->batches, &chase, side->position,
				 side->point.loads / chase.unroll);
	ret = tw_memory_evaluate(&side->point, batches, side->batches,
				 ns_per_tick);
	side->medians_ns[side->turns++] = side->point.median_ns;
	return ret;
}

int tw_memory_compare(double ns[2], const struct tw_cycle cycles[2],
		      unsigned first, const struct tw_memory_effort *effort,
		      double hz)
{
	struct tw_memory_batch *batches = calloc(MAX_BATCHES, sizeof(*batches));
	struct tw_memory_effort shorter = *effort;
	struct side sides[2] = { 0 };
	int ret = batches ? 0 : -ENOMEM;

	/* The caches hold the same lines for both: one pass is enough. */
	shorter.warm_ns = 0;
	for (unsigned i = 0; !ret && i < 2; i++) {
		sides[i].point.elements = cycles[i].count;
		sides[i].position = tw_cycle_first(&cycles[i]);
		sides[i].batches = prepare(&sides[i].point, &sides[i].position,
					   i ? &shorter : effort, &chase,
					   1e9 / hz);
	}
	for (unsigned turn = 0; !ret && turn < 2 * TURNS; turn++)
		ret = take_turn(&sides[(unsigned)__builtin_parity(turn) ^ first],
				batches, 1e9 / hz);
	for (unsigned i = 0; !ret && i < 2; i++)
		ns[i] = tw_memory_median(sides[i].medians_ns, TURNS);
	free(batches);
	return ret;
}
