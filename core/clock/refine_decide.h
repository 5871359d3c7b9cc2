/* SPDX-License-Identifier: MIT */
/*
 * What a later look at both clocks says about the rate, and what to do about it.
 * Inside the library; pure.
 */
#ifndef TW_CLOCK_REFINE_DECIDE_H
#define TW_CLOCK_REFINE_DECIDE_H

#include "clock.h"
#include "kernel_rate.h"
#include "machine/steering.h"

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

/* CLOCK_MONOTONIC may be bent by so much without a fault. */
#define TW_MAX_BENT	(TW_NTP_MAX_PPM / 1e6)

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

#endif
