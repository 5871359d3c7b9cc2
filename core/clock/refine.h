/* SPDX-License-Identifier: MIT */
/*
 * Refining a clock: what a later reading of both clocks tells about the rate, what to do
 * about it, and reading. Internal.
 */
#ifndef TW_CLOCK_REFINE_H
#define TW_CLOCK_REFINE_H

#include "clock.h"
#include "kernel_rate.h"
#include "machine/steering.h"

/* ---- pure ---- */

/* Compute a baseline from brackets of a short time. At least one bracket is
 * needed. */
void tw_baseline_from_brackets(const struct tw_brackets *brackets, double hz,
			       struct tw_clock_baseline *baseline);

/*
 * Compute the rate between two baselines, as a fit. Return 0; -EAGAIN when they
 * are too near to each other for their brackets; -ESTALE when a clock went
 * back.
 */
int tw_baseline_fit(const struct tw_clock_baseline *from,
		    const struct tw_clock_baseline *to, struct tw_fit *fit);

/* CLOCK_MONOTONIC may bend by this much without a fault. */
#define TW_MAX_BENT	(TW_NTP_MAX_PPM / 1e6)

enum tw_refinement {
	TW_REFINED_NOTHING,	/* no longer baseline, no better rate */
	TW_REFINED_RECORD,	/* the same rate, and more is known of it */
	TW_REFINED_RATE,	/* another rate is better */
};

/*
 * Decide what follows from @fit, of a longer baseline, for the rate @now.
 * @candidates: NULL if the kernel's rate can't or must not be used
 * @witness: returns the witness that names a frequency
 *
 * Return an enum tw_refinement, with *out set unless it is TW_REFINED_NOTHING;
 * -ESTALE when no single rate explains the readings of both times.
 */
int tw_refine_decide(const struct tw_rate *now, const struct tw_fit *fit,
		     const struct tw_kernel_candidates *candidates,
		     enum tw_witness (*witness)(uint64_t from_hz),
		     struct tw_rate *out);

/* ---- reading ---- */

/*
 * Read both clocks for a fifth of a millisecond. @hz is a rough rate. Return 0;
 * -EAGAIN if no bracket was read; -ENOMEM; -EIO as tw_brackets_collect().
 */
int tw_baseline_read(struct tw_clock_baseline *baseline,
		     enum tw_against against, double hz,
		     const struct tw_time_source *source);

/* Note where the baseline begins, once the clock has rate, scale and anchor. */
int tw_refine_begin(struct tw_clock *clock, enum tw_switch kernel_rate,
		    const struct tw_time_source *source);

/* Refine a clock with the clocks of @source, for tests. NULL: the real clocks. */
int tw_refine_with(struct tw_clock *clock, const struct tw_time_source *source);

#endif
