/* SPDX-License-Identifier: MIT */
/*
 * Did a figure change between two sets of runs, and by how much? Pure arithmetic.
 *
 * The run is the unit: I/Os of one run are correlated in ways that no length of a
 * block is sure to cover, but runs of one set can be exchanged for each other. So each
 * run gives one number for each figure, and the test is one of permutations: if both
 * sets are alike, all ways to split the runs into two sets of these sizes were equally
 * probable. Of each split, the largest studentized difference over all figures is
 * taken (Westfall and Young, Resampling-based Multiple Testing, 1993: single-step
 * max-T). A figure that is further out than 95 % of those has changed. That all figures
 * together give a false alarm in at most 5 % is exact, whatever the distribution, and
 * however figures depend on each other, if the runs of A and B are alike. If they are
 * of the same mean, but vary more on one side, it is near 5 % for many runs only. For
 * that the difference is studentized by each side's own variance (Welch; Janssen,
 * Studentized permutation tests, 1997).
 *
 * The interval of a change is that test inverted: the changes which, taken off again,
 * leave a figure that is not further out. So an interval without 0 and a change
 * found are the same. Each interval has the true change with 95 %. All together have
 * theirs only if nothing changed: a change of other figures makes their T small in
 * other splits. Without that, five runs would find much less.
 */
#ifndef TW_DIFF_STATISTICS_H
#define TW_DIFF_STATISTICS_H

#include <stddef.h>
#include <stdint.h>

/* A run is a bit of a split. */
#define TW_DIFF_MAX_RUNS	64
/* All figures together are wrong in this part of comparisons, at most. */
#define TW_DIFF_LEVEL		0.05

struct tw_diff_sets {
	size_t runs;		/* of both sides, at most TW_DIFF_MAX_RUNS */
	uint64_t of_b;		/* bit i: run i is of side B */
	size_t figures;
	const double *values;	/* [figure * runs + run] */
};

struct tw_diff_change {
	double a, b;		/* means of the runs */
	double spread_a, spread_b;	/* their standard deviations; 0 of one run */
	double change;		/* b - a */
	double low, high;	/* its interval; -HUGE_VAL and HUGE_VAL: none */
	double p;		/* adjusted for all figures */
};

/* In how many ways the runs can be split: all of them, or as many by chance if there
 * are too many. */
size_t tw_diff_splits(size_t runs_a, size_t runs_b);

/* Can a split be far enough out? 4 against 4 is the least of equal sides. */
int tw_diff_can_show(size_t runs_a, size_t runs_b);

/**
 * tw_diff_test - the change of each figure
 * @changes: as many as there are figures; written on success
 *
 * Return: 0; -EINVAL: a side without a run, too many runs; -ENOMEM.
 */
int tw_diff_test(struct tw_diff_change *changes, const struct tw_diff_sets *sets);

/**
 * tw_diff_gap - how far all runs of B are above all of A
 *
 * Return: the distance between the nearest two; negative: B is below; 0: the sides
 * overlap.
 */
double tw_diff_gap(const double *values, size_t runs, uint64_t of_b);

#endif
