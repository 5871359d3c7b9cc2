/* SPDX-License-Identifier: MIT */
/*
 * One size of one curve: loads, batches of loads, and the figures from them. Internal.
 */
#ifndef TW_MEMORY_POINT_H
#define TW_MEMORY_POINT_H

#include "cycle.h"
#include "tickwise.h"

/* ---- the loads (chase.c) ---- */

/* Loads in one turn of the loop. */
#define TW_CHASE_UNROLL		64

/**
 * tw_chase_function - follow a cycle
 * @position: an element of it
 * @turns: number of turns. A turn has TW_CHASE_UNROLL loads, each of the address that the
 *	one before returned.
 *
 * Return: the element where it ended.
 */
typedef void *tw_chase_function(void *position, size_t turns);

/* The loop has no other load, no store, one counter and one branch. */
tw_chase_function tw_chase;

/* Two ways to write the same loop that do not measure what they should. In the first the
 * pointer is on the stack: each load waits for a store to be read back, which takes longer
 * than the first cache. In the second nobody uses where it ended: no load is left. */
tw_chase_function tw_chase_spilled, tw_chase_unused;

/**
 * tw_core_ticks_per_cycle - measure one cycle of this core, in counter ticks, now
 *
 * A chain of dependent additions of two registers takes a cycle for each addition on every
 * processor that this supports. (Some processors add constants while renaming registers:
 * that would be too fast.) The result is the difference of a long and a short chain, each
 * the fastest of some. What is the same in both cancels. Takes about 100 us.
 *
 * Return: ticks; 0 if no such instruction is known (Power).
 */
double tw_core_ticks_per_cycle(void);

/* ---- figures ---- */

/**
 * struct tw_memory_point - latency of one load, in memory of one size
 *
 * A batch is disturbed if its thread lost the CPU or had a page fault meanwhile. It is also
 * disturbed if it took more than 1.5 times the median plus two microseconds. Disturbed
 * batches are counted, and used for nothing else.
 */
struct tw_memory_point {
	size_t bytes;			/* of memory that the cycle spans */
	size_t footprint_bytes;		/* of cache lines in it */
	size_t elements;
	uint64_t loads;			/* in a batch */
	unsigned batches;		/* those that are undisturbed */
	unsigned disturbed;
	double warm_passes;		/* through the whole cycle, before */
	double min_ns, median_ns, p90_ns;
	double low_ns, high_ns;		/* 95 % confidence, of the median */
	double cycle_ns;		/* of the core at its fastest meanwhile: for min_ns; 0:
					   unknown */
};

/* Batches as they were collected. */
struct tw_memory_batch {
	uint64_t ticks;
	unsigned was_interrupted;
};

/**
 * tw_memory_evaluate - compute a point's figures from its batches
 * @point: its loads are known
 * @batches, @count: sorted when it returns, undisturbed ones first
 * @ns_per_tick: of the counter
 *
 * The interval is that of the ranks that hold the median with 95 % (binomial). It tells how
 * well this run knows its median, and not what another run will find. Pure.
 *
 * Return: 0; -EAGAIN if fewer than TW_MEMORY_MIN_BATCHES are undisturbed.
 */
#define TW_MEMORY_MIN_BATCHES	5
int tw_memory_evaluate(struct tw_memory_point *point, struct tw_memory_batch *batches,
		       unsigned count, double ns_per_tick);

/* Do the same for the batches that nothing interrupted, as a histogram of their @ticks, and
 * the number of the others. The minimum is exact; the other figures are upper edges of bins. */
int tw_memory_evaluate_bins(struct tw_memory_point *point, const struct tw_histogram *ticks,
			    uint64_t interrupted, double ns_per_tick);

/* ---- measuring ---- */

/**
 * struct tw_memory_effort - how long a point is measured
 * @batch_ns: one batch
 * @point_ns: all batches
 * @warm_ns: at most, for one pass through the cycle before the first batch
 */
struct tw_memory_effort {
	uint64_t batch_ns, point_ns, warm_ns;
};

/**
 * tw_memory_measure - chase one cycle
 * @bytes: what the cycle was grown to
 * @chase: normally tw_chase()
 * @hz: of the counter
 *
 * The warming pass, always with tw_chase(), shows how long a load takes. The size of the
 * batches follows from that. Return: 0; -ENOMEM; -EAGAIN as tw_memory_evaluate(). Takes
 * @effort->point_ns and up to @effort->warm_ns.
 */
int tw_memory_measure(struct tw_memory_point *point, const struct tw_cycle *cycle,
		      size_t bytes, const struct tw_memory_effort *effort,
		      tw_chase_function *chase, double hz);

/**
 * tw_memory_compare - chase two cycles in turns
 * @ns: set to the median of each one's turns. A turn has the median of its batches
 * @cycles: two orders of the same lines, such as one at the beginning of each line and one 8
 *	bytes after. So neither is linked anew between turns
 * @first: which begins, 0 or 1
 * @effort: point_ns is the time of a turn. The first of @cycles warms up for both
 * @hz: of the counter
 *
 * Turns follow the Thue-Morse sequence (0110 1001): a drift that is linear or quadratic in
 * time is the same for both. A turn goes on where the cycle's last one ended. Return: 0;
 * -ENOMEM; -EAGAIN if a turn was too disturbed.
 */
int tw_memory_compare(double ns[2], const struct tw_cycle cycles[2], unsigned first,
		      const struct tw_memory_effort *effort, double hz);

#endif
