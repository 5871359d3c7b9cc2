/* SPDX-License-Identifier: MIT */
/*
 * The counter's step, from differences of its readings: see step.h.
 *
 * A counter that moves by p ticks at a time and shows whole ticks makes every
 * difference of two readings k p, rounded down or up, for some whole k. So
 * the answer is the longest p for which that is true of all of them. Longer
 * ones fail at the differences between their multiples, and shorter ones that
 * also fit (p / 2, p / 3) come later.
 *
 * Differences of a counter without a step may also be multiples of some p by
 * chance. Of all numbers one in p is a multiple of a whole p, and up to three in
 * p are rounded multiples of another. So the more different values were seen, and
 * the longer the step, the less likely is chance; it must be below 1e-5. For an
 * uneven p below 4 it never is, so only whole steps are looked for there. Two
 * equal readings need no more proof: no counter shows that which moves on by
 * one tick at a time.
 *
 * All but tw_step_read() is pure.
 */
#include "counter/step.h"

#include <math.h>
#include <stdlib.h>

#include "counter/pause.h"
#include "tickwise.h"

#define LEAST_SEEN	32
/* A core that slept goes on at another place between two steps: not all fit. */
#define MISSES(seen)	((seen) / 100)
/* The chance that is allowed: exp(-this) is 1e-5. */
#define EVIDENCE	11.5
/* Steps that are no whole number of ticks: see above. */
#define LEAST_UNEVEN	4.0
/* Two trial steps next to each other move the farthest multiple by this. */
#define GRID_TICKS	0.25
/* What the refined step can be off, times k. */
#define SLACK_TICKS	0.02
/* Of this machine, where they are made for the step alone. */
#define READINGS	512
#define PAUSES		4

struct difference {
	uint32_t ticks;
	uint32_t seen;
};

struct differences {
	struct difference at[TW_STEP_LONGEST + 1];	/* most frequent first */
	unsigned count;
	uint64_t seen;
	uint32_t longest_ticks;
};

static int by_frequency(const void *a, const void *b)
{
	const struct difference *x = a, *y = b;

	return (x->seen < y->seen) - (x->seen > y->seen);
}

static void sort(const struct tw_steps *steps, struct differences *all)
{
	uint32_t ticks;

	for (ticks = 0; ticks <= TW_STEP_LONGEST; ticks++) {
		if (!steps->seen[ticks])
			continue;
		all->at[all->count++] = (struct difference) {
			ticks, steps->seen[ticks],
		};
		all->seen += steps->seen[ticks];
		all->longest_ticks = ticks;
	}
	qsort(all->at, all->count, sizeof(all->at[0]), by_frequency);
}

static int fits(const struct difference *one, double step, double slack)
{
	double multiple = nearbyint(one->ticks / step) * step;

	if (multiple == 0)
		return one->ticks == 0;
	return one->ticks >= floor(multiple - slack) &&
	       one->ticks <= ceil(multiple + slack);
}

static int all_fit(const struct differences *all, double step, double slack)
{
	uint64_t misses = 0;
	unsigned i;

	for (i = 0; i < all->count; i++) {
		if (!fits(&all->at[i], step, slack))
			misses += all->at[i].seen;
		if (misses > MISSES(all->seen))
			return 0;
	}
	return 1;
}

/* Can it be chance that all are multiples? One in @share of all numbers is. */
static int is_proven(const struct differences *all, double share)
{
	uint64_t left = all->seen, equal = 0;
	unsigned values = 0, i;

	/* What is as rare as misses proves nothing. */
	for (i = 0; i < all->count && left > MISSES(all->seen); i++) {
		left -= all->at[i].seen;
		if (all->at[i].ticks)
			values++;
		else
			equal = all->at[i].seen;
	}
	if (equal > MISSES(all->seen))
		return values > 0;
	return values * log(share) > EVIDENCE;
}

/* The step of least squares, given which multiple each difference is. */
static double refine(const struct differences *all, double step)
{
	double products = 0, squares = 0;
	unsigned i;

	for (i = 0; i < all->count; i++) {
		const struct difference *one = &all->at[i];
		double multiple = nearbyint(one->ticks / step);

		products += one->seen * multiple * one->ticks;
		squares += one->seen * multiple * multiple;
	}
	return squares > 0 ? products / squares : step;
}

/* The step near @trial that explains all differences, or 0. */
static double confirm(const struct differences *all, double trial)
{
	double step = refine(all, refine(all, trial));
	double whole = nearbyint(step);

	if (all_fit(all, whole, 0) && is_proven(all, whole))
		return whole;
	if (step >= LEAST_UNEVEN && all_fit(all, step, SLACK_TICKS) &&
	    is_proven(all, step / 3))
		return step;
	return 0;
}

static double longest_step(const struct differences *all)
{
	double shorter = 1 - GRID_TICKS / all->longest_ticks;
	double trial, step;

	for (trial = all->longest_ticks + 1; trial >= LEAST_UNEVEN;
	     trial *= shorter) {
		if (!all_fit(all, trial, GRID_TICKS))
			continue;
		step = confirm(all, trial);
		if (step > 0)
			return step;
	}
	for (trial = LEAST_UNEVEN - 1; trial > 1; trial--)
		if (all_fit(all, trial, 0) && is_proven(all, trial))
			return trial;
	return 1;
}

double tw_steps_find(const struct tw_steps *steps)
{
	struct differences all = { .count = 0 };

	sort(steps, &all);
	if (all.seen < LEAST_SEEN || all.longest_ticks < 2)
		return 1;
	return longest_step(&all);
}

double tw_step_read(void)
{
	struct tw_steps steps = { { 0 } };
	uint32_t random = 1;
	uint64_t before;
	unsigned i, turns;

	for (i = 0, before = tw_ticks_begin(); i < READINGS; i++) {
		uint64_t ticks;

		for (turns = 0; turns < PAUSES; turns++)
			tw_pause(&random);
		ticks = tw_ticks_begin();
		tw_steps_add(&steps, ticks - before);
		before = ticks;
	}
	return tw_steps_find(&steps);
}

uint64_t tw_step_reach_ticks(double step_ticks)
{
	double whole = nearbyint(step_ticks);

	if (step_ticks <= 1)
		return 1;
	if (step_ticks == whole)
		return (uint64_t)whole;
	return (uint64_t)floor(step_ticks) + 2;
}
