/* SPDX-License-Identifier: GPL-2.0 */
/*
 * From an I/O's stamps to the times of its stages, and from the end of an I/O to
 * what fio has to be told. Arithmetic only: no function here reads a clock or knows
 * fio, so tests/unit/io_times.c can pass any stamps.
 *
 * Stamps are ticks of the counter, or, where @system is set, nanoseconds of the
 * system clock.
 */
#ifndef TW_PLUGIN_IO_TIMES_H
#define TW_PLUGIN_IO_TIMES_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "tickwise.h"

/* The stages do not overlap: each begins where the one before it ends. */
enum tw_stage {
	TW_QUEUE,	/* prepared to enter */
	TW_KERNEL,	/* enter to seen */
	TW_DELIVER,	/* seen to returned */
	TW_STAGES,
};

/* The stamps of one I/O, in the order in which they are taken. */
struct tw_io {
	uint64_t prepared_ticks;	/* prep() ended: fio reads start_time next */
	uint64_t enter_ticks;		/* the call that submitted it began, */
	uint64_t entered_ticks;		/* and ended; 0: no such call */
	uint64_t seen_ticks;		/* its completion was seen in the ring */
};

struct tw_io_times {
	uint64_t stage_ns[TW_STAGES];
	uint64_t lat_ns;		/* the sum of the stages */
	uint64_t call_ns;		/* inside the submitting call */
};

/* Negative where @to is before @from. */
static inline int64_t tw_span_ns(const struct tw_scale *scale, bool system,
				 uint64_t from, uint64_t to)
{
	int64_t span = (int64_t)(to - from);

	return tw_unlikely(system) ? span : tw_ticks_delta_to_ns(scale, span);
}

/* A CPU whose counter is behind can make a stage negative: the stage is 0 then,
 * and counted in @negative, which makes the counter's verdict "unreliable". */
static inline uint64_t tw_stage_ns(const struct tw_scale *scale, bool system,
				   uint64_t from, uint64_t to,
				   uint64_t *negative)
{
	int64_t ns = tw_span_ns(scale, system, from, to);

	if (tw_unlikely(ns < 0)) {
		(*negative)++;
		return 0;
	}
	return (uint64_t)ns;
}

/* @stages: false, only prepared_ticks is set in @io, and only lat_ns is known. */
static inline struct tw_io_times
tw_io_times(const struct tw_scale *scale, bool system, bool stages,
	    const struct tw_io *io, uint64_t returned_ticks, uint64_t *negative)
{
	const uint64_t ends[TW_STAGES] = {
		[TW_QUEUE] = io->enter_ticks,
		[TW_KERNEL] = io->seen_ticks,
		[TW_DELIVER] = returned_ticks,
	};
	uint64_t from = io->prepared_ticks;
	struct tw_io_times times = { .lat_ns = 0 };
	enum tw_stage stage;

	if (!stages) {
		times.lat_ns = tw_stage_ns(scale, system, from, returned_ticks,
					   negative);
		return times;
	}
	for (stage = 0; stage < TW_STAGES; stage++) {
		times.stage_ns[stage] = tw_stage_ns(scale, system, from,
						    ends[stage], negative);
		times.lat_ns += times.stage_ns[stage];
		from = ends[stage];
	}
	if (io->entered_ticks)
		times.call_ns = tw_stage_ns(scale, system, io->enter_ticks,
					    io->entered_ticks, negative);
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

/* How long before @returned an I/O was seen, ns. The counter of another CPU may be
 * slightly ahead: 0 then. */
static inline uint64_t tw_earlier_ns(const struct tw_scale *scale, bool system,
				     uint64_t seen, uint64_t returned)
{
	int64_t earlier_ns = tw_span_ns(scale, system, seen, returned);

	return earlier_ns <= 0 ? 0 : (uint64_t) earlier_ns;
}

/*
 * fio will subtract @start and @issue from one later reading of its clock. An I/O
 * that was seen at @seen, before @returned, has both moved later by that span.
 */
static inline void tw_shift_to_event(const struct tw_scale *scale, bool system,
				     uint64_t seen, uint64_t returned,
				     struct timespec *issue,
				     struct timespec *start)
{
	uint64_t earlier_ns = tw_earlier_ns(scale, system, seen, returned);

	tw_timespec_later(issue, earlier_ns);
	tw_timespec_later(start, earlier_ns);
}

#endif
