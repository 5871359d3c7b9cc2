/* SPDX-License-Identifier: MIT */
/*
 * Sets up a clock from a rate, a scale and an anchor, and has the slow paths of its
 * readers. tw_clock_init() is in trust_measure.c, because it also decides.
 */
#include "clock.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "counter/mark.h"
#include "counter/state.h"
#include "interval.h"
#include "refine.h"
#include "segment.h"
#include "timespec.h"

/* The base is this long before the anchor: room for a counter that is behind. */
#define BASE_BEFORE_NS	TW_NS_PER_SECOND
#define ANCHOR_TRIES	100

/* Where a clock is not in the caches, a second cache line would make a reading cost
 * twice as much: tests/bench/working_set.c */
_Static_assert(offsetof(struct tw_clock, scale.shift) < 64,
	       "a clock is read from one cache line");
_Static_assert(sizeof(struct tw_clock) == 192, "programs know its size");

int tw_clock_new(struct tw_clock *clock)
{
	struct tw_clock_state *state;

	state = aligned_alloc(_Alignof(struct tw_clock_state), sizeof(*state));
	if (!state)
		return -ENOMEM;
	memset(state, 0, sizeof(*state));
	state->rate.size = sizeof(state->rate);
	*clock = (struct tw_clock) { .state = state };
	return 0;
}

void tw_clock_free(struct tw_clock *clock)
{
	free(clock->state);
	*clock = (struct tw_clock) { 0 };
}

enum tw_against tw_anchor_on(enum tw_anchor anchor, enum tw_against against)
{
	if (anchor == TW_ANCHOR_AS_RATE)
		return against;
	return anchor == TW_ANCHOR_MONOTONIC ? TW_AGAINST_MONOTONIC :
					       TW_AGAINST_RAW;
}

static int set_anchor(struct tw_clock *clock, enum tw_against against)
{
	struct tw_clock_mark mark = TW_SIZED(struct tw_clock_mark);
	uint64_t width_ticks, back_ticks;
	int ret;

	ret = tw_clock_mark(against, ANCHOR_TRIES, &mark);
	if (ret)
		return ret;
	width_ticks = mark.ticks_after - mark.ticks_before;
	clock->anchor_ticks = mark.ticks_before + width_ticks / 2;
	clock->anchor_ns = mark.system_ns;
	/* The reading was rounded down to a whole nanosecond: add one more. */
	clock->anchor_error_ns =
		tw_ticks_to_ns(&clock->scale, (width_ticks + 1) / 2) + 1;

	/* Neither the ticks nor the time may go below zero. */
	back_ticks = (uint64_t)(clock->scale.hz *
				((double)BASE_BEFORE_NS / 1e9));
	if (back_ticks > clock->anchor_ticks)
		back_ticks = clock->anchor_ticks;
	if (tw_ticks_to_ns(&clock->scale, back_ticks) > clock->anchor_ns)
		back_ticks = 0;
	clock->base_ticks = clock->anchor_ticks - back_ticks;
	clock->base_ns = clock->anchor_ns -
			 tw_ticks_to_ns(&clock->scale, back_ticks);
	clock->limit_ticks = clock->scale.max_ticks;
	return 0;
}

/* Take the scale away. Without a scale every reader takes its slow path before it
 * reads the counter. */
void tw_clock_use_system(struct tw_clock *clock, int why)
{
	clock->system = tw_counter_permission() == TW_COUNTER_OK ? 1 : 2;
	clock->system_errno = why;
	clock->scale = (struct tw_scale) { 0 };
	clock->base_ticks = 0;
	clock->base_ns = 0;
	clock->limit_ticks = 0;
}

int tw_clock_set_up(struct tw_clock *clock,
		    const struct tw_clock_options *options)
{
	const struct tw_rate_options rate_options = {
		.size = sizeof(rate_options),
		.window_ns = options->window_ns,
		.against = options->against,
		.kernel_rate = options->kernel_rate,
		.longest_ns = options->longest_ns,
	};
	enum tw_against anchor;
	int ret;

	if (tw_counter_permission() != TW_COUNTER_OK)
		return -ENOTSUP;
	tw_refine_note_start(clock);
	if (options->rate) {
		clock->state->rate = *options->rate;
	} else {
		ret = tw_rate_measure(&clock->state->rate, &rate_options);
		if (ret)
			return ret;
	}
	anchor = tw_anchor_on(options->anchor, clock->state->rate.against);
	clock->clock_id = tw_against_clock_id(anchor);
	ret = tw_scale_init(&clock->scale, &clock->state->rate, 0);
	if (ret)
		return ret;
	ret = set_anchor(clock, anchor);
	if (ret)
		return ret;
	tw_interval_read_cost(clock);
	return tw_refine_begin(clock, options->kernel_rate, NULL);
}

static uint64_t system_ns(const struct tw_clock *clock)
{
	struct timespec now;

	if (clock->system == 1)
		clock_gettime(clock->clock_id, &now);
	else
		tw_system_clock_call(clock->clock_id, &now);
	return tw_timespec_ns(&now);
}

/*
 * Return the segment for @ticks, or NULL for the first one. Set @since to how
 * long the segment has held then. A counter more than a second behind the
 * anchor gives the base: no anchored clock can mean such a time.
 */
static const struct tw__clock_segment *find_segment(const struct tw_clock *clock,
						   uint64_t ticks,
						   uint64_t *since)
{
	const struct tw__clock_segment *segment = tw_segment_at(clock, ticks);

	*since = ticks - (segment ? segment->begin_ticks : clock->base_ticks);
	if ((int64_t)*since < 0)
		*since = 0;
	return segment;
}

uint64_t tw__clock_ns_slow(const struct tw_clock *clock, uint64_t ticks)
{
	const struct tw__clock_segment *segment;
	uint64_t since;

	if (clock->system)
		return system_ns(clock);
	segment = find_segment(clock, ticks, &since);
	return segment ?
		segment->base_ns + tw_ticks_to_ns(&segment->scale, since) :
		clock->base_ns + tw_ticks_to_ns(&clock->scale, since);
}

void tw__clock_timespec_slow(uint64_t ns, uint64_t *second_ns,
			    struct timespec *ts)
{
	ts->tv_sec = (time_t)(ns / TW_NS_PER_SECOND);
	ts->tv_nsec = (long)(ns % TW_NS_PER_SECOND);
	*second_ns = ns - (uint64_t)ts->tv_nsec;
}
