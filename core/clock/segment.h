/* SPDX-License-Identifier: MIT */
/*
 * The segments of a refined clock, inside the library.
 */
#ifndef TW_CLOCK_SEGMENT_H
#define TW_CLOCK_SEGMENT_H

#include "clock.h"

/* The segment that holds for @ticks; NULL: the first one, which is in the clock
 * itself. */
const struct tw__clock_segment *tw_segment_at(const struct tw_clock *clock,
					     uint64_t ticks);

/*
 * Let @rate hold from some milliseconds after now on. @source is where now is
 * read; NULL: the counter. One caller at a time.
 *
 * Returns 0; -EAGAIN when this thread was held up for so long that not all would
 * know of it in time, and then nothing has changed; -ENOSPC when there are no more segments; -ERANGE as
 * tw_scale_init(), or when the clock is at its range's end.
 */
int tw_segment_append(struct tw_clock *clock, const struct tw_rate *rate,
		      const struct tw_time_source *source);

#endif
