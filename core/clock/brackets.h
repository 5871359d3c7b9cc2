/* SPDX-License-Identifier: MIT */
/*
 * Readings of CLOCK_MONOTONIC_RAW between two readings of the counter. Internal.
 */
#ifndef TW_CLOCK_BRACKETS_H
#define TW_CLOCK_BRACKETS_H

#include "tickwise.h"

/* A reading of the reference, and the counter before and after it. */
struct tw_bracket {
	uint64_t before_ticks;
	uint64_t after_ticks;
	uint64_t reference_ns;
};

/*
 * Brackets are used if they are at most this much wider than the narrowest of
 * their kind: 12 ticks of a 2.6 GHz counter. The very narrowest ones alone
 * cluster in time. They follow the core's frequency, which moves the reading
 * inside the bracket.
 */
#define TW_BRACKET_TOLERANCE_NS	4.6

struct tw_brackets {
	struct tw_bracket *bracket;	/* ascending in time */
	size_t count;
	uint64_t tolerance_ticks;
	uint64_t granularity_ns;
	double step_ticks;		/* by which the counter moves at a time */
	int is_of_counter;		/* the reference is made of the counter */
	/* As in struct tw_rate_options. */
	int (*progress)(void *context, uint64_t elapsed_ns);
	void *context;
	uint64_t before_ns;		/* of windows before this one */
	int is_enough;			/* @progress returned TW_ENOUGH */
};

/*
 * Add a window's brackets to @brackets, which is all 0 before the first window.
 * Return 0; -ENOMEM, -EIO, -ECANCELED, or -errno of the clock. On an error
 * @brackets is freed.
 */
int tw_brackets_collect(struct tw_brackets *brackets, uint64_t window_ns,
			const struct tw_time_source *source);
/* Find the step as tw_steps_find(), from the kept brackets. Pure. */
double tw_brackets_step_ticks(const struct tw_brackets *brackets);
void tw_brackets_free(struct tw_brackets *brackets);

/* ---- the line through brackets, and its error: fit.c, pure ---- */

/* Time blocks, for the jackknife and for the rule on gaps. */
#define TW_FIT_BLOCKS		16
#define TW_FIT_MIN_BLOCKS	8

struct tw_fit {
	double hz;
	double sigma_ppb;	/* 1 sigma of hz */
	double wander_ppb;	/* 1 sigma of what is too slow for sigma_ppb */
	double asymmetry_ppb;	/* most that the place of the reading can shift hz */
	double low_hz, high_hz;	/* lines through every bracket */
	uint64_t window_ns;
	uint64_t bracket_ticks;	/* the narrowest */
	uint32_t used;
	unsigned blocks;	/* those of TW_FIT_BLOCKS that have samples */
};

/*
 * Fit a line through the brackets. Return 0; -EAGAIN for fewer than 3 brackets per
 * block on average, or for fewer than four blocks; -EDOM when no single rate passes
 * through every bracket.
 */
int tw_fit_brackets(const struct tw_brackets *brackets, struct tw_fit *fit);

#endif
