/* SPDX-License-Identifier: MIT */
/*
 * The steering of CLOCK_MONOTONIC at both ends of a window. Internal.
 */
#ifndef TW_CLOCK_MONOTONIC_WATCH_H
#define TW_CLOCK_MONOTONIC_WATCH_H

#include "brackets.h"
#include "machine/steering.h"

/* Both ends of a window. The samples of CLOCK_MONOTONIC are between them. */
struct tw_monotonic_watch {
	struct tw_steering before;
	struct tw_steering after;
	struct tw_bracket raw_before;	/* reference_ns of RAW */
	struct tw_bracket raw_after;
	int error;			/* 0, or why the readings are missing */
};

/* Read one end. @source: NULL: the real clocks. An error is kept in @watch. */
void tw_monotonic_watch_begin(struct tw_monotonic_watch *watch,
			      const struct tw_time_source *source);
void tw_monotonic_watch_end(struct tw_monotonic_watch *watch,
			    const struct tw_time_source *source);

#endif
