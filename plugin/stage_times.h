/* SPDX-License-Identifier: GPL-2.0 */
/*
 * From an I/O's stamps to the times of its stages, and from its own end to what
 * fio has to be told. Arithmetic alone: nothing here reads a clock or knows fio,
 * so that tests/unit/stage_times.c can give it any stamps.
 *
 * Stamps are ticks of the counter, or, where @system is set, nanoseconds of the
 * system clock.
 */
#ifndef TW_PLUGIN_STAGE_TIMES_H
#define TW_PLUGIN_STAGE_TIMES_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "tickwise.h"

/* One I/O's stamps on its way in. */
struct tw_io {
	uint64_t queued_ticks;
	uint64_t enter_ticks;	/* equal to queued_ticks: it did not wait */
	uint64_t entered_ticks;	/* the call returned; 0: there was none */
};

struct tw_stage_times {
	bool entered;		/* enter_ticks is there */
	bool waited;		/* queue_ticks and inflight_ticks are there; else
				 * the queue stage is nothing and inflight the
				 * total */
	uint64_t queue_ticks;
	uint64_t enter_ticks;
	uint64_t inflight_ticks;
};

/* Negative where @to is before @from. */
static inline int64_t tw_span_ns(const struct tw_scale *scale, bool system,
				 uint64_t from, uint64_t to)
{
	int64_t span = (int64_t)(to - from);

	return tw_unlikely(system) ? span : tw_ticks_delta_to_ns(scale, span);
}

/* A CPU whose counter is behind can make a stage negative: then it is 0, is
 * counted in @negative, and the counter's verdict is clear. */
static inline uint64_t tw_stage_ticks(uint64_t from, uint64_t to,
				      uint64_t *negative)
{
	if (tw_unlikely((int64_t)(to - from) < 0)) {
		(*negative)++;
		return 0;
	}
	return to - from;
}

static inline __attribute__((always_inline)) struct tw_stage_times
tw_stage_times(const struct tw_io *io, uint64_t seen_ticks, uint64_t *negative)
{
	struct tw_stage_times times = {
		.entered = io->entered_ticks != 0,
		.waited = io->queued_ticks != io->enter_ticks,
	};

	if (times.entered)
		times.enter_ticks = tw_stage_ticks(io->enter_ticks,
						   io->entered_ticks, negative);
	if (times.waited) {
		times.queue_ticks = tw_stage_ticks(io->queued_ticks,
						   io->enter_ticks, negative);
		times.inflight_ticks = tw_stage_ticks(io->enter_ticks,
						      seen_ticks, negative);
	}
	return times;
}

/* tv_nsec stays below a second: fio asserts it. */
static inline void tw_timespec_later(struct timespec *ts, uint64_t ns)
{
	ns += (uint64_t) ts->tv_nsec;
	if (tw_unlikely(ns >= TW_NS_PER_SECOND)) {
		ts->tv_sec += (time_t) (ns / TW_NS_PER_SECOND);
		ns %= TW_NS_PER_SECOND;
	}
	ts->tv_nsec = (long) ns;
}

/*
 * How much before @taken an I/O was seen, ns. Another CPU's counter, a little
 * ahead, is as good as now.
 */
static inline uint64_t tw_earlier_ns(const struct tw_scale *scale, bool system,
				     uint64_t seen, uint64_t taken)
{
	int64_t earlier_ns = tw_span_ns(scale, system, seen, taken);

	return earlier_ns <= 0 ? 0 : (uint64_t) earlier_ns;
}

/*
 * fio will take @start and @issue off one later reading of its clock. An I/O
 * that was seen @seen, before @taken, has both moved later by as much.
 */
static inline void tw_shift_to_event(const struct tw_scale *scale, bool system,
				     uint64_t seen, uint64_t taken,
				     struct timespec *issue,
				     struct timespec *start)
{
	uint64_t earlier_ns = tw_earlier_ns(scale, system, seen, taken);

	tw_timespec_later(issue, earlier_ns);
	tw_timespec_later(start, earlier_ns);
}

#endif
