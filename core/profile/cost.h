/* SPDX-License-Identifier: MIT */
/*
 * Computes what the hooks take from the times of blocks of calls. Pure.
 * core/profile/calibrate.c calls and times.
 */
#ifndef TW_PROFILE_COST_H
#define TW_PROFILE_COST_H

#include <stdint.h>

/* What the hooks take, in ticks. Each has its spread over the ways of calling
 * that were tried, which includes how much half of the blocks were
 * disturbed. */
struct tw_profile_cost {
	double inside, inside_spread;	/* counted to the call itself */
	double outside, outside_spread;	/* counted to its caller */
	double untimed, untimed_spread;	/* of a call that is not timed */
	double both_spread;		/* of inside + outside */
	double beyond;			/* the most that a call may lose in addition */
	uint32_t samples;		/* blocks that inside and outside are from; 0:
					 * nothing is known */
};

/* The ways of calling: nothing; some work; calls in calls; calls with the
 * caller's own work between them; calls that do not wait for each other; many
 * paths in turn. The constants and their spread come from those before
 * ALIKE. */
enum tw_profile_way {
	TW_PROFILE_EMPTY, TW_PROFILE_WORK, TW_PROFILE_NEST, TW_PROFILE_TREE,
	TW_PROFILE_ALIKE,
	TW_PROFILE_APART = TW_PROFILE_ALIKE, TW_PROFILE_WIDE,
	TW_PROFILE_WAYS
};

/* The function that is called in each way, with hooks, and the same function without
 * (calibrate_hooked.c). */
extern uint64_t (*const tw_profile_hooked[TW_PROFILE_WAYS])(uint64_t);
extern uint64_t (*const tw_profile_plain[TW_PROFILE_WAYS])(uint64_t);

/* How many calls one call of the functions of NEST, TREE and WIDE makes, itself included. Each
 * of WIDE's calls is on a path of its own. */
#define TW_PROFILE_NEST_CALLS	4
#define TW_PROFILE_TREE_CALLS	5
#define TW_PROFILE_WIDE_CALLS	(1 + 8 * (1 + 8 * (1 + 8)))

#define TW_PROFILE_MAX_BLOCKS	81

/* The blocks of one way: ticks for each call of the outermost function. Each
 * such call is @calls calls, with those that it makes. */
struct tw_profile_blocks {
	int blocks, calls;
	double with[TW_PROFILE_MAX_BLOCKS], without[TW_PROFILE_MAX_BLOCKS];
	double counted[TW_PROFILE_MAX_BLOCKS];	/* by its node */
};

/* What one way of calling shows, in ticks a call. */
struct tw_profile_shown {
	int blocks;
	double both, inside;
	double both_disturbed, inside_disturbed;
};

/* Sort the @blocks @values. Return the one at the end of their lowest tenth. */
double tw_profile_undisturbed(double *values, int blocks);

/* Compute what one way shows. Sorts the times of @from. */
void tw_profile_show(struct tw_profile_shown *shown,
		     struct tw_profile_blocks *from);

/* Compute all of @cost but untimed, from what the TW_PROFILE_WAYS ways showed. */
void tw_profile_work_out(struct tw_profile_cost *cost,
			 const struct tw_profile_shown *ways);

/* Join the cost at the start, in @first, and the cost at the end. The result is
 * their mean, and half of their difference is added to the spread. If one has
 * no samples, the other is the result. */
void tw_profile_cost_join(struct tw_profile_cost *first,
			  const struct tw_profile_cost *now);

#endif
