/* SPDX-License-Identifier: MIT */
/*
 * What the hooks take, worked out from the times of blocks of calls. Pure; who
 * calls and times is core/profile/calibrate.c.
 */
#ifndef TW_PROFILE_COST_H
#define TW_PROFILE_COST_H

#include <stdint.h>

/* What the hooks take, in ticks, each with its spread over the ways of calling
 * that were tried and what half of the blocks were disturbed by. */
struct tw_profile_cost {
	double inside, inside_spread;	/* counted to the call itself */
	double outside, outside_spread;	/* counted to its caller */
	double untimed, untimed_spread;	/* of a call that is not timed */
	double both_spread;		/* of inside + outside */
	double beyond;			/* what a call is said to lose more, at most */
	uint32_t samples;		/* blocks inside and outside come from; 0:
					 * nothing is known */
};

/* Ways of calling: nothing, some work, calls in calls, calls with work of the
 * caller's between them; calls that don't wait for each other, and many paths by
 * turns. Those up to ALIKE are what the constants and their spread come from. */
enum tw_profile_way {
	TW_PROFILE_EMPTY, TW_PROFILE_WORK, TW_PROFILE_NEST, TW_PROFILE_TREE,
	TW_PROFILE_ALIKE,
	TW_PROFILE_APART = TW_PROFILE_ALIKE, TW_PROFILE_WIDE,
	TW_PROFILE_WAYS
};

#define TW_PROFILE_MAX_BLOCKS	81

/* The blocks of one way: ticks a call of the outermost function, which itself and
 * with what it calls is @calls. */
struct tw_profile_blocks {
	int blocks, calls;
	double with[TW_PROFILE_MAX_BLOCKS], without[TW_PROFILE_MAX_BLOCKS];
	double counted[TW_PROFILE_MAX_BLOCKS];	/* by its node */
};

/* What one way of calling shows, ticks a call. */
struct tw_profile_shown {
	int blocks;
	double both, inside;
	double both_disturbed, inside_disturbed;
};

/* Sorts @values, of which there are @blocks: where their lowest tenth ends. */
double tw_profile_undisturbed(double *values, int blocks);

/* Sorts @from's times. */
void tw_profile_show(struct tw_profile_shown *shown,
		     struct tw_profile_blocks *from);

/* All of @cost but untimed, from what the TW_PROFILE_WAYS ways showed. */
void tw_profile_work_out(struct tw_profile_cost *cost,
			 const struct tw_profile_shown *ways);

/* One cost from that of the start, in @first, and that of the end: their mean,
 * with half of their difference in doubt, too. A look without samples says
 * nothing, and the other stands. */
void tw_profile_cost_join(struct tw_profile_cost *first,
			  const struct tw_profile_cost *now);

#endif
