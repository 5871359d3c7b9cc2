/* SPDX-License-Identifier: MIT */
/*
 * Segments: how a clock changes its rate while others read it.
 *
 * The clock is one function of the counter for every thread, or two readings
 * of which one happened before the other could come out in the other order. So
 * a segment may only take over at a moment that nobody has read yet, and all
 * must agree on whether it did.
 *
 * The writer proposes: a start some milliseconds ahead, marked as a proposal,
 * published before anything else. Then it reads the counter again. If the start
 * is still a millisecond ahead, every reading at or after it is taken by a
 * thread that reads the counter first and looks for segments second, and so
 * finds the proposal. (Reads of the counter are not ordered with those of
 * memory, nor with stores on their way out. What processors delay by is under a
 * microsecond; the millisecond covers that, and counters a little apart.)
 * The proposal is settled by one compare-and-swap: the writer's to accept it,
 * or that of the first reader who comes upon it at or after its start, to
 * reject it. A writer that was held up for so long finds it rejected and may
 * begin anew; readers never wait.
 *
 * A settled segment is never changed. A rejected one was never used, so its
 * place is taken again; a reader that still holds an old start of it fails its
 * compare-and-swap, since starts only grow.
 */
#include "segment.h"

#include <errno.h>

/* Counters of two CPUs may be apart by half of this, and nobody is late. */
#define AHEAD_NS	2000000

#define PROPOSED	1ULL
#define NONE		0ULL

/* What a reader holds is const to him; the start of a segment is not. */
static int settle(const struct tw_clock_segment *segment, uint64_t *start,
		  uint64_t settled)
{
	uint64_t *writable = (uint64_t *)&segment->start_ticks;

	if (!__atomic_compare_exchange_n(writable, start, settled, 0,
					 __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		return -EAGAIN;
	*start = settled;
	return 0;
}

static int holds(const struct tw_clock_segment *segment, uint64_t ticks)
{
	uint64_t start = __atomic_load_n(&segment->start_ticks,
					 __ATOMIC_ACQUIRE);

	if (start == NONE || (int64_t)(ticks - (start & ~PROPOSED)) < 0)
		return 0;
	/* Reached, and nobody has accepted it: too late. Where the swap fails
	 * it was settled, or it was another start, which is yet to come. */
	if (start & PROPOSED && !settle(segment, &start, NONE))
		return 0;
	return start != NONE && !(start & PROPOSED) &&
	       (int64_t)(ticks - start) >= 0;
}

const struct tw_clock_segment *tw_segment_at(const struct tw_clock *clock,
					     uint64_t ticks)
{
	unsigned i = __atomic_load_n(&clock->segments, __ATOMIC_ACQUIRE);

	while (i--)
		if (holds(&clock->segment[i], ticks))
			return &clock->segment[i];
	return NULL;
}

static uint64_t read_ticks(const struct tw_time_source *source)
{
	return source ? source->read_ticks(source->context) : tw_ticks_begin();
}

/* The last one's place if it was rejected, else the next. */
static unsigned find_place(const struct tw_clock *clock)
{
	unsigned place = clock->segments;

	if (place && __atomic_load_n(&clock->segment[place - 1].start_ticks,
				     __ATOMIC_ACQUIRE) == NONE)
		place--;
	return place;
}

/* From here on readers look for segments at all. */
static void limit_first(struct tw_clock *clock, uint64_t start)
{
	uint64_t limit = start - clock->base_ticks - 1;

	if (limit < clock->limit_ticks)
		__atomic_store_n(&clock->limit_ticks, limit, __ATOMIC_RELEASE);
}

/* It never held: readers may take the short ways that they took before. */
static int withdraw(struct tw_clock *clock, unsigned place)
{
	if (place)
		__atomic_store_n(&clock->last, place - 1, __ATOMIC_RELEASE);
	else
		__atomic_store_n(&clock->limit_ticks, clock->scale.max_ticks,
				 __ATOMIC_RELEASE);
	return -EAGAIN;
}

static int propose_and_accept(struct tw_clock *clock, unsigned place,
			      uint64_t start, uint64_t latest,
			      const struct tw_time_source *source)
{
	struct tw_clock_segment *segment = &clock->segment[place];
	uint64_t expected = start | PROPOSED;

	__atomic_store_n(&segment->start_ticks, expected, __ATOMIC_RELEASE);
	__atomic_store_n(&clock->segments, place + 1, __ATOMIC_RELEASE);
	__atomic_store_n(&clock->last, place, __ATOMIC_RELEASE);
	limit_first(clock, start);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);

	if ((int64_t)(read_ticks(source) - latest) >= 0) {
		settle(segment, &expected, NONE);
		return withdraw(clock, place);
	}
	if (settle(segment, &expected, start))
		return withdraw(clock, place);
	/* Settled: from now on readers need not come through here. */
	__atomic_store_n(&segment->limit_ticks, segment->scale.max_ticks,
			 __ATOMIC_RELEASE);
	return 0;
}

int tw_segment_append(struct tw_clock *clock, const struct tw_rate *rate,
		      const struct tw_time_source *source)
{
	unsigned place = find_place(clock);
	struct tw_clock_segment *segment;
	uint64_t now, ahead, start;
	struct tw_scale scale;
	int ret;

	ret = tw_scale_init(&scale, rate, 0);
	if (ret)
		return ret;
	if (place == TW_CLOCK_SEGMENTS)
		return -ENOSPC;
	segment = &clock->segment[place];
	ahead = (uint64_t)(rate->hz * (AHEAD_NS / 1e9));
	now = read_ticks(source);
	start = (now + ahead) & ~PROPOSED;
	if (start - clock->base_ticks >= clock->scale.max_ticks)
		return -ERANGE;
	/* Where the clock stands then. */
	__atomic_store_n(&segment->begin_ticks, start, __ATOMIC_RELAXED);
	segment->base_ns = tw_clock_ns_slow(clock, start);
	segment->scale = scale;
	return propose_and_accept(clock, place, start, start - ahead / 2,
				  source);
}
