/* SPDX-License-Identifier: MIT */
/*
 * Computes a point from its batches, by order statistics.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "point.h"

/* The 97.5th percentile of the normal distribution. */
#define SIGMAS_95	1.96

static int in_order(const void *left, const void *right)
{
	const struct tw_memory_batch *a = left, *b = right;

	if (!a->was_interrupted != !b->was_interrupted)
		return a->was_interrupted ? 1 : -1;
	return a->ticks < b->ticks ? -1 : a->ticks > b->ticks;
}

/* Return the value at a rank, 1 to count. */
static double at_rank(const struct tw_memory_batch *batches, unsigned count,
		      double rank)
{
	double whole = fmin(fmax(rank, 1), count);

	return (double)batches[(unsigned)whole - 1].ticks;
}

static double median_of(const struct tw_memory_batch *batches, unsigned count)
{
	return (at_rank(batches, count, floor((count + 1) / 2.0)) +
		at_rank(batches, count, ceil((count + 1) / 2.0))) / 2;
}

/* Return how many sorted batches are undisturbed: those beyond the limit are at
 * the end. */
static unsigned undisturbed(const struct tw_memory_batch *batches,
			    unsigned count, double ns_per_tick)
{
	double median, limit;

	while (count && batches[count - 1].was_interrupted)
		count--;
	if (!count)
		return 0;
	median = median_of(batches, count);
	limit = median * 1.5 + 2000 / ns_per_tick;
	while ((double)batches[count - 1].ticks > limit)
		count--;
	return count;
}

static int rising(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;

	return a < b ? -1 : a > b;
}

double tw_memory_median(double *values, unsigned count)
{
	qsort(values, count, sizeof(*values), rising);
	return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

int tw_memory_evaluate(struct tw_memory_point *point,
		       struct tw_memory_batch *batches, unsigned count,
		       double ns_per_tick)
{
	double load_ns = ns_per_tick / (double)point->loads;
	double half;
	unsigned good;

	qsort(batches, count, sizeof(*batches), in_order);
	good = undisturbed(batches, count, ns_per_tick);
	point->batches = good;
	point->disturbed = count - good;
	if (good < TW_MEMORY_MIN_BATCHES)
		return -EAGAIN;
	half = SIGMAS_95 * sqrt(good) / 2;
	point->min_ns = (double)batches[0].ticks * load_ns;
	point->median_ns = median_of(batches, good) * load_ns;
	point->p90_ns = at_rank(batches, good, ceil(good * 0.9)) * load_ns;
	point->low_ns = at_rank(batches, good, floor(good / 2.0 - half)) *
			load_ns;
	point->high_ns = at_rank(batches, good, ceil(good / 2.0 + 1 + half)) *
			 load_ns;
	return 0;
}
