/* SPDX-License-Identifier: MIT */
/*
 * Segments: how a clock changes its rate while others read it.
 *
 * The clock must be one function of the counter for every thread. Otherwise two
 * readings, one of which happened before the other, could come out in the wrong
 * order. So a segment takes over at a moment that is still to come:
 *
 *	- The writer chooses a start some milliseconds ahead, and computes the
 *	  segment.
 *	- It reads the counter again, and publishes the segment if at least half
 *	  of the time is left.
 *	- A reader reads the counter first, and then the segments. So every
 *	  reading at or after the start finds the segment.
 *
 * Reads of the counter are not ordered with reads of memory, nor with stores
 * that are under way. Processors delay these by less than a microsecond. The
 * milliseconds cover that, and counters that are a little apart.
 *
 * A published segment never changes. Readers write nothing and never wait, so a
 * clock can be read where it can't be written.
 *
 * A writer that is late before it publishes gives up, and nothing has changed.
 * But a writer may be stopped between this check and the stores right after it,
 * for longer than half of the lead. Then it may publish a start that others
 * have passed at the old rate. Their readings are off by the difference of the
 * two rates over the delay: 10 ns for 1 ppm and 10 ms. To exclude that, readers
 * would have to write or to wait. The writer checks once more afterwards, and
 * reports such a delay.
 */
#include "segment.h"

#include <errno.h>

#include "diagnostics.h"

/* The counters of two CPUs may be a quarter of this apart. A busy machine stops a
 * thread for some milliseconds. */
#define AHEAD_NS	20000000

const struct tw__clock_segment *tw_segment_at(const struct tw_clock *clock,
					     uint64_t ticks)
{
	const struct tw_clock_state *state = clock->state;
	unsigned i;

	/* A clock of zeros has no state. */
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
