/* SPDX-License-Identifier: MIT */
/*
 * Refining a clock, inside the library: where its baseline begins, and later
 * looks. Deciding is refine_decide.c's.
 */
#ifndef TW_CLOCK_REFINE_H
#define TW_CLOCK_REFINE_H

#include "clock.h"

/*
 * Look at both clocks for a fifth of a millisecond. @hz is a rough rate.
 * Returns 0; -ENOMEM; -EIO as tw_brackets_collect().
 */
int tw_baseline_read(struct tw_clock_baseline *baseline,
		     enum tw_against against, double hz,
		     const struct tw_time_source *source);

/* Note how things are, before a clock is set up. */
void tw_refine_note_start(struct tw_clock *clock);

/* And where its baseline begins, once it has rate, scale and anchor. */
int tw_refine_begin(struct tw_clock *clock, enum tw_switch kernel_rate,
		    const struct tw_time_source *source);

/* tw_clock_refine() on clocks of a test's choosing; NULL: the real ones. */
int tw_refine_with(struct tw_clock *clock, const struct tw_time_source *source);

#endif
