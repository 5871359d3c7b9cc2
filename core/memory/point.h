/* SPDX-License-Identifier: MIT */
/*
 * One size of one curve: batches of loads, and what they say. Internal.
 */
#ifndef TW_MEMORY_POINT_H
#define TW_MEMORY_POINT_H

#include "cycle.h"
#include "tickwise.h"

/**
 * struct tw_memory_point - latency of one load, of memory of one size
 *
 * A batch is disturbed if its thread was taken off the CPU or had a page fault
 * meanwhile, or if it took more than half as much again as the median and two
 * microseconds. Disturbed ones are counted, and part of nothing else.
 */
struct tw_memory_point {
	size_t bytes;			/* of memory that the cycle spans */
	size_t footprint_bytes;		/* of cache lines in it */
	size_t elements;
	uint64_t loads;			/* in a batch */
	unsigned batches;		/* undisturbed ones */
	unsigned disturbed;
	double warm_passes;		/* through the whole cycle, before */
	double min_ns, median_ns, p90_ns;
	double low_ns, high_ns;		/* 95 % confidence, of the median */
	double cycle_ns;		/* of the core at its fastest meanwhile:
					   for min_ns; 0: unknown */
};

/* Batches as they were collected. */
struct tw_memory_batch {
	uint64_t ticks;
	unsigned was_interrupted;
};

/**
 * tw_memory_evaluate - a point's figures from its batches
 * @batches: sorted when it returns, undisturbed ones first
 * @ns_per_tick: of the counter
 *
 * Sets what depends on batches. The interval is of the ranks that hold the
 * median with 95 % (binomial); it says how well this run knows its median, and
 * nothing of what another run will find. Pure.
 *
 * Return: 0; -EAGAIN if fewer than TW_MEMORY_MIN_BATCHES were undisturbed.
 */
#define TW_MEMORY_MIN_BATCHES	5
int tw_memory_evaluate(struct tw_memory_point *point,
		       struct tw_memory_batch *batches, unsigned count,
		       double ns_per_tick);

/**
 * struct tw_memory_effort - how long a point is measured
 * @batch_ns: one batch
 * @point_ns: all of them
 * @warm_ns: at most, for one pass through the cycle before the first
 */
struct tw_memory_effort {
	uint64_t batch_ns, point_ns, warm_ns;
};

/* How loads are done: @unroll of them in a turn, from @position to what is
 * returned. */
struct tw_memory_loop {
	void *(*run)(void *position, size_t turns);
	unsigned unroll;
};

/**
 * tw_memory_measure - chase one cycle
 * @bytes: what the cycle was grown to
 * @loop: normally NULL: tw_chase()
 * @hz: of the counter
 *
 * Batches are sized by what a load takes in the warming pass, which is always
 * tw_chase()'s. Return: 0; -ENOMEM; -EAGAIN as tw_memory_evaluate(). Takes
 * @effort->point_ns and up to @effort->warm_ns.
 */
int tw_memory_measure(struct tw_memory_point *point,
		      const struct tw_cycle *cycle, size_t bytes,
		      const struct tw_memory_effort *effort,
		      const struct tw_memory_loop *loop, double hz);

#endif
