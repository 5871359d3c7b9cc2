/* SPDX-License-Identifier: MIT */
/*
 * Tests whether a figure changed between two sets of runs, and by how much.
 * Pure arithmetic.
 *
 * The unit of the test is the run, which gives one number for each figure: I/Os of one
 * run are correlated in ways that no length of a block is sure to cover.
 *
 * It is a permutation test. If both sets are alike, all ways to split the runs into two
 * sets of these sizes are equally probable. Of each split, the largest studentized
 * difference over all figures is taken (Westfall and Young, Resampling-based Multiple
 * Testing, 1993: single-step max-T). A figure has changed if its difference is larger than
 * 95 % of these.
 *
 * If the runs of A and B are alike, all figures together give a false alarm in at most 5 %
 * of comparisons, whatever their distribution and however they depend on each other. If
 * only the means are equal, the rate is near 5 % with many runs: the difference is
 * studentized by each side's own variance (Welch; Janssen, Studentized permutation tests,
 * 1997).
 *
 * Runs in turns can be pairs of neighbours, one of each side. Then the sides of each pair are
 * exchanged or not, each with the same chance (Fisher, The Design of Experiments, 1935), and the
 * difference is studentized by the variance of the pairs' differences. What changes slowly from
 * run to run, as other load on the machine, then leaves the difference alone.
 *
 * The interval of a change is this test inverted: it holds each change which, once
 * subtracted, leaves a figure that has not changed. So a change is found exactly if its
 * interval does not contain 0. Each interval contains the true change with 95 %; all
 * together do so only if nothing changed, since a change of other figures makes their T
 * small in other splits. A method that gives them 95 % always would find much less in five
 * runs.
 */
#ifndef TW_DIFF_STATISTICS_H
#define TW_DIFF_STATISTICS_H

#include <stddef.h>
#include <stdint.h>

/* A split has a bit for each run. */
#define TW_DIFF_MAX_RUNS	64
/* At most this part of comparisons has a false alarm, over all figures
 * together, unless another one is asked for. */
#define TW_DIFF_LEVEL		0.05

struct tw_diff_sets {
	size_t runs;		/* of both sides; at most TW_DIFF_MAX_RUNS */
	uint64_t of_b;		/* bit i: run i is of side B */
	int are_pairs;		/* runs 2 i and 2 i + 1 are a pair */
	double level;		/* TW_DIFF_LEVEL, or less */
	size_t figures;
	const double *values;	/* [figure * runs + run] */
};

struct tw_diff_change {
	double a, b;		/* means of the runs */
	double spread_a, spread_b;	/* their standard deviations; 0 for one run */
	double change;		/* b - a */
	double low, high;	/* its interval; -HUGE_VAL and HUGE_VAL: none */
	double p;		/* adjusted for all figures */
};

/* Are they pairs, and enough of them to find a change? With TW_DIFF_LEVEL it takes six. */
int tw_diff_are_pairs(uint64_t of_b, size_t runs, double level);

/* Return how many splits are tested: all, or a random sample if there are too
 * many. */
size_t tw_diff_splits(size_t runs_a, size_t runs_b, int are_pairs);

/* Can the test find a change with so few runs? With equal sides and TW_DIFF_LEVEL it takes 4
 * against 4. */
int tw_diff_can_show(size_t runs_a, size_t runs_b, double level);

/**
 * tw_diff_test - find the change of each figure
 * @changes: one for each figure; written on success
 *
 * Return: 0; -EINVAL: a side without a run, too many runs.
 */
int tw_diff_test(struct tw_diff_change *changes, const struct tw_diff_sets *sets);

#endif
