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

int tw_memory_measure(struct tw_memory_point *point,
		      const struct tw_cycle *cycle, size_t bytes,
		      const struct tw_memory_effort *effort,
		      const struct tw_memory_loop *loop, double hz)
{
	static const struct tw_memory_loop chase = { tw_chase,
						     TW_CHASE_UNROLL };
	double ns_per_tick = 1e9 / hz, load_ticks;
	struct tw_memory_batch *batches;
	void *position = tw_cycle_first(cycle);
	unsigned count;
	size_t turns;
	int ret;

	*point = (struct tw_memory_point) {
		.bytes = bytes, .elements = cycle->count,
		.footprint_bytes = tw_cycle_footprint(&cycle->shape, bytes),
	};
	load_ticks = warm_up(point, &position,
			     (uint64_t)((double)effort->warm_ns / ns_per_tick));
	if (!loop)
		loop = &chase;
	turns = (size_t)((double)effort->batch_ns / ns_per_tick / load_ticks /
			 loop->unroll) + 1;
	point->loads = turns * loop->unroll;
	count = batches_of(effort, load_ticks * ns_per_tick *
				   (double)point->loads);
	batches = calloc(count, sizeof(*batches));
	if (!batches)
		return -ENOMEM;
	point->cycle_ns = ns_per_tick * collect_all(batches, count, loop,
						    position, turns);
	ret = tw_memory_evaluate(point, batches, count, ns_per_tick);
	free(batches);
	return ret;
}
