/* SPDX-License-Identifier: MIT */
/*
 * The loops whose cost tickwise bench measures, and its figures: arithmetic on what the
 * loops cost.
 */
#ifndef TW_BENCH_H
#define TW_BENCH_H

#include "tickwise.h"

enum tw_bench_loop {
	TW_LOOP_RDTSC,		/* tw_ticks(); the value is not used */
	TW_LOOP_TO_NS,		/* tw_ticks_to_ns(tw_ticks()) */
	TW_LOOP_NOW,		/* tw_clock_ns() */
	TW_LOOP_TIMESPEC,	/* tw_clock_timespec() */
	TW_LOOP_SYSTEM,		/* clock_gettime() */
	TW_LOOPS,
};

/**
 * struct tw_bench_costs - what one block of each loop cost, round by round
 *
 * In one round every loop runs one block. So the two blocks that make a ratio
 * are some tens of microseconds apart.
 */
struct tw_bench_costs {
	uint32_t *ticks[TW_LOOPS];	/* ticks of one block, [rounds] each */
	uint32_t calls;			/* in each block */
	uint32_t rounds;
	uint32_t most;			/* rounds that there is room for */
};

void tw_bench_costs_init(struct tw_bench_costs *costs, uint64_t window_ns);
void tw_bench_costs_free(struct tw_bench_costs *costs);

/* Run rounds for @window_ns. */
void tw_bench_measure(struct tw_bench_costs *costs, const struct tw_clock *clock,
		      uint64_t window_ns);

/* The compiler that built these loops and the inline functions in them, and
 * whether they were built with optimization and without a sanitizer. */
const char *tw_bench_compiler(void);
int tw_bench_is_optimized(void);

/**
 * struct tw_bench_result - one figure
 *
 * The figure is the median over the rounds; p10 and p90 are its spread. A block
 * is disturbed if it cost more than 1.5 times the median of its loop: an
 * interrupt takes a microsecond or more, and a block takes a few. A round with
 * a disturbed block is not counted.
 */
struct tw_bench_result {
	const char *name;
	const char *unit;		/* "ratio" or "ns" */
	const char *of;			/* what is divided by what, for readers */
	double value;
	double p10, p90;
	uint32_t used, disturbed;	/* numbers of rounds */
};

#define TW_BENCH_RESULTS	6

/* Compute the results from @costs; @hz turns ticks into nanoseconds. Pure
 * arithmetic. Return: 0; -EAGAIN when too few rounds of some figure were
 * undisturbed: less than half of them, or less than TW_BENCH_MIN_ROUNDS. The results are
 * set then, but they prove nothing. */
#define TW_BENCH_MIN_ROUNDS	20
int tw_bench_evaluate(struct tw_bench_result results[TW_BENCH_RESULTS],
		      const struct tw_bench_costs *costs, double hz);

#endif
