/* SPDX-License-Identifier: MIT */
/*
 * Readings of a system clock between two of the counter. Inside the library.
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
 * Brackets this much wider than the narrowest of their kind count: 12 ticks of a
 * 2.6 GHz counter. The very narrowest alone cluster in time and follow the
 * core's frequency, which moves the place of the reading inside the bracket.
 */
#define TW_BRACKET_TOLERANCE_NS	4.6

struct tw_brackets {
	struct tw_bracket *bracket;	/* ascending in time */
	size_t count;
	uint64_t tolerance_ticks;
	uint64_t granularity_ns;
	double step_ticks;		/* by which the counter moves at a time */
	int is_of_counter;		/* the reference is made of the counter */
	/* As of struct tw_rate_options. */
	int (*progress)(void *context, uint64_t elapsed_ns);
	void *context;
	uint64_t before_ns;		/* of windows before this one */
	int is_enough;			/* @progress said so */
};

/*
 * Adds a window's brackets to @brackets, all 0 before the first. Returns 0;
 * -ENOMEM, -EIO, -ECANCELED, or -errno of the clock, and @brackets are freed.
 */
int tw_brackets_collect(struct tw_brackets *brackets, uint64_t window_ns,
			enum tw_against against,
			const struct tw_time_source *source);
/* As tw_steps_find(), of the brackets that were kept. Pure. */
double tw_brackets_step_ticks(const struct tw_brackets *brackets);
void tw_brackets_free(struct tw_brackets *brackets);

#endif
