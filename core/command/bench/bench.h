/* SPDX-License-Identifier: MIT */
/*
 * The figures of tickwise bench: arithmetic on what the loops cost.
 */
#ifndef TW_BENCH_H
#define TW_BENCH_H

#include "command/bench/bench_loops.h"

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
	double aim;			/* 0: none */
	int aim_is_least;		/* 1: the aim is a minimum; 0: a maximum */
	double value;
	double p10, p90;
	uint32_t used, disturbed;	/* numbers of rounds */
};

#define TW_BENCH_RESULTS	7

/* Compute the results from @costs; @hz turns ticks into nanoseconds. Pure
 * arithmetic. Return: 0; -EAGAIN when too few rounds of some figure were
 * undisturbed: less than half of them, or less than TW_BENCH_MIN_ROUNDS. The results are
 * set then, but they prove nothing. */
#define TW_BENCH_MIN_ROUNDS	20
int tw_bench_evaluate(struct tw_bench_result results[TW_BENCH_RESULTS],
		      const struct tw_bench_costs *costs, double hz);

#endif
