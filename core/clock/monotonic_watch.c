/* SPDX-License-Identifier: MIT */
/*
 * Reads CLOCK_MONOTONIC_RAW and the steering of CLOCK_MONOTONIC at both ends of a
 * window. monotonic_rate.c computes rates from these.
 */
#include "monotonic_watch.h"

#include <errno.h>

/* Readings of RAW at each end. The narrowest bracket is used. They take some five
 * microseconds. */
#define RAW_TRIES	100

static int mark_injected(struct tw_bracket *mark,
			 const struct tw_time_source *source)
{
	uint64_t narrowest = UINT64_MAX;
	unsigned tries;

	for (tries = 0; tries < RAW_TRIES; tries++) {
		struct tw_bracket one;

		one.before_ticks = source->read_ticks(source->context);
		one.reference_ns = source->read_raw_ns(source->context);
		one.after_ticks = source->read_ticks(source->context);
		if (one.after_ticks - one.before_ticks < narrowest) {
			narrowest = one.after_ticks - one.before_ticks;
			*mark = one;
		}
	}
	return 0;
}

static int mark_raw(struct tw_bracket *bracket,
		    const struct tw_time_source *source)
{
	struct tw_clock_mark mark = TW_SIZED(struct tw_clock_mark);
	int ret;

	if (source)
		return mark_injected(bracket, source);
	ret = tw_clock_mark(TW_AGAINST_RAW, RAW_TRIES, &mark);
	if (ret)
		return ret;
	*bracket = (struct tw_bracket) {
		.before_ticks = mark.ticks_before,
		.after_ticks = mark.ticks_after,
		.reference_ns = mark.system_ns,
	};
	return 0;
}

void tw_monotonic_watch_begin(struct tw_monotonic_watch *watch,
			      const struct tw_time_source *source)
{
	*watch = (struct tw_monotonic_watch) { 0 };
	if (source && (!source->adjtimex || !source->read_raw_ns)) {
		watch->error = -ENOSYS;
		return;
	}
	watch->error = tw_steering_read(&watch->before, source);
	if (!watch->error)
		watch->error = mark_raw(&watch->raw_before, source);
}

void tw_monotonic_watch_end(struct tw_monotonic_watch *watch,
			    const struct tw_time_source *source)
{
	if (!watch->error)
		watch->error = mark_raw(&watch->raw_after, source);
	if (!watch->error)
		watch->error = tw_steering_read(&watch->after, source);
}
