/* SPDX-License-Identifier: MIT */
/*
 * Segments: how a clock changes its rate while others read it.
 *
 * The clock is one function of the counter for every thread, or two readings
 * of which one happened before the other could come out in the other order. So
 * a segment takes over at a moment that is still to come. The writer fixes a
 * start some milliseconds ahead, works out everything else, reads the counter
 * again, and publishes the segment if half of that time is left. Every reading
 * at or after the start is made by a thread that reads the counter first and
 * looks for segments second, and so finds it. (Reads of the counter are not
 * ordered with those of memory, nor with stores on their way out. What
 * processors delay by is under a microsecond; the milliseconds cover that, and
 * counters a little apart.)
 *
 * A published segment is never changed. Readers write nothing and never wait,
 * so a clock can be read where it can't be written.
 *
 * A writer that finds itself late before it publishes gives up, and nothing has
 * changed. One that is stopped for longer than half of the lead between that
 * look and the stores right after it may publish a start that others have
 * passed at the old rate: their readings are off by the difference of the two
 * rates over the delay, 10 ns for 1 ppm and 10 ms. To exclude that too, readers
 * would have to write or to wait. The writer looks once more afterwards, and
 * says so.
 */
#include "segment.h"

#include <errno.h>

#include "diagnostics.h"

/* Counters of two CPUs may be apart by a quarter of this. A busy machine stops a
 * thread for some milliseconds. */
#define AHEAD_NS	20000000

const struct tw__clock_segment *tw_segment_at(const struct tw_clock *clock,
					     uint64_t ticks)
{
	const struct tw_clock_state *state = clock->state;
	unsigned i;

	/* A clock of zeros has none. */
	i = state ? __atomic_load_n(&state->segments, __ATOMIC_ACQUIRE) : 0;
	while (i--)
		if ((int64_t)(ticks - state->segment[i].begin_ticks) >= 0)
			return &state->segment[i];
	return NULL;
}

static uint64_t read_ticks(const struct tw_time_source *source)
{
	return source ? source->read_ticks(source->context) : tw_ticks_begin();
}

/* From here on readers use the segment, the next one after the last. */
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
	/* Where the clock stands then. */
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
