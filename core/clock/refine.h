/* SPDX-License-Identifier: MIT */
/*
 * Refining a clock: the baseline's begin, and later readings. Internal.
 */
#ifndef TW_CLOCK_REFINE_H
#define TW_CLOCK_REFINE_H

#include "clock.h"
#include "machine/steering.h"

/* CLOCK_MONOTONIC may bend by this much without a fault. */
#define TW_MAX_BENT	(TW_NTP_MAX_PPM / 1e6)

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
