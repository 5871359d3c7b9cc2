/* SPDX-License-Identifier: MIT */
/*
 * Finds the counter's step in differences of its readings; all but tw_step_read() is
 * pure.
 *
 * If the counter moves by p ticks and shows whole ticks, every difference of two
 * readings is k p, rounded down or up, for some whole k. The step is the longest p for
 * which that is so: a longer one fails at the differences between its multiples, and
 * shorter ones that also fit (p / 2, p / 3) are tried later.
 *
 * Differences of a counter without a step can be multiples of some p by chance: one
 * number in p for a whole p, and up to three in p for another. Chance is less likely
 * with more different values and with a longer step; it must be below 1e-5. For a p
 * below 4 that is no whole number it never is. Two equal readings need no more proof: a
 * counter that moves by one tick at a time never shows them.
 */
#include "counter/step.h"

#include <math.h>
#include <stdlib.h>

#include "tickwise.h"

#define MIN_SEEN	32
/* After a sleep a core continues elsewhere between two steps: allow some misses. */
#define MISSES(seen)	((seen) / 100)
/* The largest chance that is allowed is exp(-EVIDENCE) = 1e-5. */
#define EVIDENCE	11.5
/* The shortest step that is no whole number of ticks: see above. */
#define MIN_UNEVEN	4.0
/* Successive trial steps move the farthest multiple by this. */
#define GRID_TICKS	0.25
/* The error of a multiple of the refined step. */
#define SLACK_TICKS	0.02
/* How many readings tw_step_read() makes, and pauses before each. */
#define READINGS	512
#define PAUSES		4

struct difference {
	uint32_t ticks;
	uint32_t seen;
};

struct differences {
	struct difference at[TW_STEP_MAX_TICKS + 1];	/* most frequent first */
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
	for (uint32_t ticks = 0; ticks <= TW_STEP_MAX_TICKS; ticks++) {
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

	for (unsigned i = 0; i < all->count; i++) {
		if (!fits(&all->at[i], step, slack))
			misses += all->at[i].seen;
		if (misses > MISSES(all->seen))
			return 0;
	}
	return 1;
}

/* Tell whether chance is excluded, if one number in @share is a multiple. */
static int is_proven(const struct differences *all, double share)
{
	uint64_t left = all->seen, equal = 0;
	unsigned values = 0;

	/* A value that is as rare as the misses proves nothing. */
	for (unsigned i = 0; i < all->count && left > MISSES(all->seen); i++) {
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

/* Fit the step by least squares, with the multiples that @step gives. */
static double refine(const struct differences *all, double step)
{
	double products = 0, squares = 0;

	for (unsigned i = 0; i < all->count; i++) {
		const struct difference *one = &all->at[i];
		double multiple = nearbyint(one->ticks / step);

		products += one->seen * multiple * one->ticks;
		squares += one->seen * multiple * multiple;
	}
	return squares > 0 ? products / squares : step;
}

/* Return the step near @trial that explains all differences, or 0. */
static double confirm(const struct differences *all, double trial)
{
	double step = refine(all, refine(all, trial));
	double whole = nearbyint(step);

	if (all_fit(all, whole, 0) && is_proven(all, whole))
		return whole;
	if (step >= MIN_UNEVEN && all_fit(all, step, SLACK_TICKS) &&
	    is_proven(all, step / 3))
		return step;
	return 0;
}

double tw_steps_find(const struct tw_steps *steps)
{
	struct differences all = { .count = 0 };
	double shorter, trial, step;

	sort(steps, &all);
	if (all.seen < MIN_SEEN || all.longest_ticks < 2)
		return 1;
	shorter = 1 - GRID_TICKS / all.longest_ticks;
	for (trial = all.longest_ticks + 1; trial >= MIN_UNEVEN; trial *= shorter) {
		if (!all_fit(&all, trial, GRID_TICKS))
			continue;
		step = confirm(&all, trial);
		if (step > 0)
			return step;
	}
	for (trial = MIN_UNEVEN - 1; trial > 1; trial--)
		if (all_fit(&all, trial, 0) && is_proven(&all, trial))
			return trial;
	return 1;
}

double tw_step_read(void)
{
	struct tw_steps steps = { { 0 } };
	uint32_t random = 1;
	uint64_t before;

	before = tw_ticks_begin();
	for (unsigned i = 0; i < READINGS; i++) {
		uint64_t ticks;

		for (unsigned turns = 0; turns < PAUSES; turns++)
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
