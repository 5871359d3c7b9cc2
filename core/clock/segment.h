/* SPDX-License-Identifier: MIT */
/*
 * The segments of a refined clock. Internal.
 */
#ifndef TW_CLOCK_SEGMENT_H
#define TW_CLOCK_SEGMENT_H

#include "clock.h"

/* Return the segment that holds for @ticks; NULL: the first one, which is in
 * the clock itself. */
const struct tw__clock_segment *tw_segment_at(const struct tw_clock *clock,
					     uint64_t ticks);

/*
 * Let @rate hold from a moment some milliseconds ahead. @source: where the
 * counter is read; NULL: the real one. One caller at a time.
 *
 * Return: 0, or
 *	-EAGAIN		this thread was held up so long that readers could miss the
 *			segment: nothing has changed
 *	-ENOSPC		no segment is left
 *	-ERANGE		as tw_scale_init(); or the clock is at the end of its range
 */
int tw_segment_append(struct tw_clock *clock, const struct tw_rate *rate,
		      const struct tw_time_source *source);

#endif
