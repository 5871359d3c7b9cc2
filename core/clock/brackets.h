/* SPDX-License-Identifier: MIT */
/*
 * Readings of a system clock between two readings of the counter. Internal.
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
			enum tw_against against,
			const struct tw_time_source *source);
/* Find the step as tw_steps_find(), from the kept brackets. Pure. */
double tw_brackets_step_ticks(const struct tw_brackets *brackets);
void tw_brackets_free(struct tw_brackets *brackets);

#endif
