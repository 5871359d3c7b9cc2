/* SPDX-License-Identifier: MIT */
/*
 * Refining a clock, inside the library: a baseline, what a later look says
 * about the rate, and what to do about it. Reading is refine.c's, deciding is
 * refine_decide.c's and pure.
 */
#ifndef TW_CLOCK_REFINE_H
#define TW_CLOCK_REFINE_H

#include "calibrate.h"

/*
 * Look at both clocks for a fifth of a millisecond. @hz is a rough rate.
 * Returns 0; -ENOMEM; -EIO as tw_brackets_collect().
 */
int tw_baseline_read(struct tw_clock_baseline *baseline,
		     enum tw_against against, double hz,
		     const struct tw_time_source *source);

/* What brackets of a short time say. At least one bracket. */
void tw_baseline_from_brackets(const struct tw_brackets *brackets, double hz,
			       struct tw_clock_baseline *baseline);

/*
 * The rate between two looks, in the form that a fit has. Returns -EAGAIN when
 * they are too near for their brackets to say anything, -ESTALE when a clock
 * went back.
 */
int tw_baseline_fit(const struct tw_clock_baseline *from,
		    const struct tw_clock_baseline *to, struct tw_fit *fit);

/* CLOCK_MONOTONIC may be bent by so much without a fault, from +500 to -500
 * ppm. */
#define TW_MOST_BENT	1e-3

enum tw_refinement {
	TW_REFINED_NOTHING,	/* no longer baseline, no better rate */
	TW_REFINED_RECORD,	/* the same rate, and more is known of it */
	TW_REFINED_RATE,	/* another rate is better */
};

/*
 * What the rate @fit of a longer baseline does to @now. @candidates is NULL
 * where the kernel's rate can't or shall not be taken; @witness says who else
 * names a frequency.
 *
 * Returns an enum tw_refinement, with *out set unless it is NOTHING; -ESTALE
 * when no single rate explains what was seen then and now.
 */
int tw_refine_decide(const struct tw_rate *now, const struct tw_fit *fit,
		     const struct tw_kernel_candidates *candidates,
		     enum tw_witness (*witness)(uint64_t from_hz),
		     struct tw_rate *out);

/* Note how things are, before a clock is set up. */
void tw_refine_note_start(struct tw_clock *clock);

/* And where its baseline begins, once it has rate, scale and anchor. */
int tw_refine_begin(struct tw_clock *clock, enum tw_switch kernel_rate,
		    const struct tw_time_source *source);

/* tw_clock_refine() on clocks of a test's choosing; NULL: the real ones. */
int tw_refine_with(struct tw_clock *clock, const struct tw_time_source *source);

/* How long this machine has been suspended since it booted, to some us. */
int64_t tw_suspended_ns(void);
#define TW_SUSPEND_SEEN_NS	1000000

#endif
