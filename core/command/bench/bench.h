/* SPDX-License-Identifier: MIT */
/*
 * tickwise bench: loops that cost (loops.c), arithmetic on what they cost
 * (result.c), and what is shown of it (output.h).
 */
#ifndef TW_BENCH_H
#define TW_BENCH_H

#include "tickwise.h"

enum tw_bench_loop {
	TW_LOOP_RDTSC,		/* tw_ticks(), nothing done with it */
	TW_LOOP_TO_NS,		/* tw_ticks_to_ns(tw_ticks()) */
	TW_LOOP_TO_NS_WIDE,	/* by the high half of a product: wide.h */
	TW_LOOP_NOW,		/* tw_clock_ns() */
	TW_LOOP_NOW_REFINED,	/* tw_clock_ns() after tw_clock_refine() */
	TW_LOOP_TIMESPEC,	/* tw_clock_timespec() */
	TW_LOOP_FIO_WAY,
	TW_LOOP_SYSTEM,		/* clock_gettime() */
	TW_LOOPS,
};

/**
 * struct tw_bench_costs - what each loop's block took, round by round
 *
 * In one round every loop runs one block, so the blocks that a ratio is made
 * of are some tens of microseconds apart.
 */
struct tw_bench_costs {
	uint32_t *ticks[TW_LOOPS];	/* of a block, [rounds] each */
	uint32_t calls[TW_LOOPS];	/* in a block */
	uint32_t rounds;
	uint32_t most;			/* room for so many */
};

int tw_bench_costs_init(struct tw_bench_costs *costs, uint64_t window_ns);
void tw_bench_costs_free(struct tw_bench_costs *costs);

/* Run rounds for @window_ns. Return: 0; -ENOMEM; -EAGAIN when this thread is
 * held up all the time. */
int tw_bench_measure(struct tw_bench_costs *costs,
		     const struct tw_clock *clock, uint64_t window_ns);

/* The compiler these loops, and the inline functions in them, were built with,
 * and whether it was asked for speed and for nothing that takes it away. */
const char *tw_bench_compiler(void);
int tw_bench_is_optimized(void);

/**
 * struct tw_bench_result - one figure
 *
 * The median over the rounds and its spread. A block that cost more than half
 * as much again as the median of its loop was disturbed (an interrupt takes a
 * microsecond and more, and a block some); its round is not counted.
 */
struct tw_bench_result {
	const char *name;
	const char *unit;		/* "ratio" or "ns" */
	const char *of;			/* what over what, for people */
	double aim;			/* 0: none */
	int aim_is_least;		/* else: at most */
	double value;
	double p10, p90;
	uint32_t used, disturbed;	/* rounds */
};

#define TW_BENCH_RESULTS	9

/* Pure. @hz turns ticks into nanoseconds. Return: 0; -ENOMEM; -EAGAIN when
 * fewer than half of the rounds, or fewer than TW_BENCH_MIN_ROUNDS, of some
 * figure were undisturbed: there are results, but they are no evidence. */
#define TW_BENCH_MIN_ROUNDS	20
int tw_bench_evaluate(struct tw_bench_result results[TW_BENCH_RESULTS],
		      const struct tw_bench_costs *costs, double hz);

#endif
