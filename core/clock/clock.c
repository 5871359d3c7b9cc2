/* SPDX-License-Identifier: MIT */
/*
 * A clock's state, the slow paths of its readers, and its segments.
 *
 * The clock must be one function of the counter for every thread. Otherwise two readings,
 * one of which happened before the other, could come out in the wrong order. So a segment
 * takes over at a moment that is still to come. The writer chooses a start some
 * milliseconds ahead, computes the segment, reads the counter again, and publishes it if at
 * least half of the time is left. A reader reads the counter first, and then the segments:
 * every reading at or after the start finds the segment. Reads of the counter are not
 * ordered with reads of memory, nor with stores under way, but processors delay these by
 * less than a microsecond. A published segment never changes, and readers write nothing.
 *
 * A writer that is late before it publishes gives up. It may also be stopped between this
 * check and the stores right after it, for longer than half of the lead. Then readings of
 * others are off by the difference of the two rates over the delay: 10 ns for 1 ppm and 10
 * ms. To exclude that, readers would have to write or to wait. The writer checks once more
 * afterwards, and reports such a delay.
 */
#include "clock.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "counter/state.h"
#include "diagnostics.h"
#include "timespec.h"

/* The counters of two CPUs may be a quarter of this apart. A busy machine stops a
 * thread for some milliseconds. */
#define AHEAD_NS	20000000

/* Where a clock is not in the caches, a second cache line would make a reading cost
 * twice as much (tests/bench/working_set.c at d20ef3b3) */
_Static_assert(offsetof(struct tw_clock, scale.shift) < 64,
	       "a clock is read from one cache line");
_Static_assert(sizeof(struct tw_clock) == 192, "programs know its size");

int tw_clock_new(struct tw_clock *clock)
{
	struct tw_clock_state *state = aligned_alloc(_Alignof(struct tw_clock_state),
						     sizeof(*state));

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

unsigned tw_segment_at(const struct tw_clock *clock, uint64_t ticks)
{
	const struct tw_clock_state *state = clock->state;
	unsigned number;

	/* A clock of zeros has no state. */
	number = state ? __atomic_load_n(&state->segments, __ATOMIC_ACQUIRE) : 0;
	while (number && (int64_t)(ticks - state->segment[number - 1].begin_ticks) < 0)
		number--;
	return number;
}

uint64_t tw__clock_ns_slow(const struct tw_clock *clock, uint64_t ticks)
{
	const struct tw__clock_segment *segment;
	struct timespec now;
	unsigned number;
	uint64_t since;

	if (clock->system) {
		if (clock->system == 1)
			clock_gettime(clock->clock_id, &now);
		else
			tw_system_clock_call(clock->clock_id, &now);
		return tw_timespec_ns(&now);
	}
	number = tw_segment_at(clock, ticks);
	segment = number ? &clock->state->segment[number - 1] : NULL;
	since = ticks - (segment ? segment->begin_ticks : clock->base_ticks);
	/* A counter more than a second behind the anchor gives the base: no anchored
	 * clock can mean such a time. */
	if ((int64_t)since < 0)
		since = 0;
	return segment ?
		segment->base_ns + tw_ticks_to_ns(&segment->scale, since) :
		clock->base_ns + tw_ticks_to_ns(&clock->scale, since);
}

void tw__clock_timespec_slow(uint64_t ns, uint64_t *second_ns,
			    struct timespec *ts)
{
	*ts = tw_timespec_of(ns);
	*second_ns = ns - (uint64_t)ts->tv_nsec;
}

/* ---- a new segment ---- */

static uint64_t read_ticks(const struct tw_time_source *source)
{
	return source ? source->read_ticks(source->context) : tw_ticks_begin();
}

/* Let readers use the segment, which follows the last one. */
static void publish(struct tw_clock *clock, struct tw__clock_segment *segment)
{
	unsigned place = clock->state->segments;
	uint64_t limit = segment->begin_ticks - clock->base_ticks - 1;

	__atomic_store_n(&segment->limit_ticks, segment->scale.max_ticks,
			 __ATOMIC_RELEASE);
	__atomic_store_n(&clock->state->segments, place + 1, __ATOMIC_RELEASE);
	__atomic_store_n(&clock->tw__last, segment, __ATOMIC_RELEASE);
	if (limit < clock->limit_ticks)
		__atomic_store_n(&clock->limit_ticks, limit, __ATOMIC_RELEASE);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

int tw_segment_append(struct tw_clock *clock, const struct tw_rate *rate,
		      const struct tw_time_source *source)
{
	struct tw__clock_segment *segment;
	uint64_t ahead, start;
	struct tw_scale scale;
	int ret;

	ret = tw_scale_init(&scale, rate, 0);
	if (ret)
		return ret;
	if (clock->state->segments == TW_CLOCK_SEGMENTS)
		return -ENOSPC;
	segment = &clock->state->segment[clock->state->segments];
	ahead = (uint64_t)(rate->hz * (AHEAD_NS / 1e9));
	start = read_ticks(source) + ahead;
	if (start - clock->base_ticks >= clock->scale.max_ticks)
		return -ERANGE;
	__atomic_store_n(&segment->begin_ticks, start, __ATOMIC_RELAXED);
	/* The segment begins with the time that the clock has then. */
	segment->base_ns = tw__clock_ns_slow(clock, start);
	segment->scale = scale;
	if ((int64_t)(read_ticks(source) - (start - ahead / 2)) >= 0)
		return -EAGAIN;
	publish(clock, segment);
	if ((int64_t)(read_ticks(source) - (start - ahead / 4)) >= 0)
		tw_say(TW_SAY_WARNING, "clock: the thread was held up while a "
		       "new rate took over: readings of that time may be off by "
		       "what the old and the new rate differ by");
	return 0;
}
