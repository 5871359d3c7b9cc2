/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Compute the times of an I/O's stages from its stamps, and the times that fio gets
 * from the end of an I/O. This is arithmetic only. No function here reads a clock or
 * depends on fio, so tests/unit/plugin/engine/engine_counts.c can pass any stamps.
 *
 * Stamps are ticks of the counter, or nanoseconds of the system clock. @scale converts them.
 */
#ifndef TW_PLUGIN_RECORD_IO_TIMES_H
#define TW_PLUGIN_RECORD_IO_TIMES_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "kernel/stages/clock_map.h"
#include "report/metrics.h"
#include "tickwise.h"

#define TW_STAGES_INSIDE	((TW_TIME_BIT(TW_INSIDE_STAGES) - 1) << TW_SUBMIT)
/* The stages of an I/O whose time in the kernel is split, and of one where it is not, without
 * backlog. */
#define TW_STAGES_SPLIT		((TW_TIME_BIT(TW_BACKLOG) - 1) & ~TW_TIME_BIT(TW_KERNEL))
#define TW_STAGES_WHOLE		((TW_TIME_BIT(TW_BACKLOG) - 1) & ~TW_STAGES_INSIDE)

/* The engine's own stamps of one I/O, in the order in which they are taken. */
struct tw_io {
	uint64_t prepared_ticks;	/* prep() ended: fio reads start_time next; an open loop:
					 * the I/O was due */
	uint64_t enter_ticks;		/* the submitting call began */
	uint64_t entered_ticks;		/* the submitting call ended; 0: no call */
	uint64_t seen_ticks;		/* its completion was seen in the ring */
};

/* What turns stamps into times. */
struct tw_clocks {
	const struct tw_scale *scale;
	uint64_t zero_ticks;		/* the zero of the clock map's own time */
	const struct tw_clock_map *clock_map;	/* NULL: no stamps of the kernel */
};

/* The times between the engine's own stamps. */
struct tw_spans {
	uint64_t queue_ns, kernel_ns, deliver_ns;
	uint64_t lat_ns;		/* the sum of these */
	uint64_t call_ns;		/* inside the submitting call */
};

/* Return the time from @from to @to in ns; negative if @to is before @from. */
static inline int64_t tw_span_ns(const struct tw_scale *scale, uint64_t from, uint64_t to)
{
	return tw_ticks_delta_to_ns(scale, (int64_t)(to - from));
}

/* Return the length of a stage. A CPU whose counter is behind can make it negative: then
 * return 0 and count it in @negative, which makes the counter's verdict "unreliable". Less than
 * half a nanosecond is no evidence. */
static inline uint64_t tw_stage_ns(const struct tw_scale *scale, uint64_t from, uint64_t to,
				   uint64_t *negative)
{
	if (tw__unlikely((int64_t)(to - from) < 0)) {
		*negative += tw_span_ns(scale, from, to) < 0;
		return 0;
	}
	return tw_ticks_to_ns(scale, to - from);
}

/* Return the times of an I/O that was returned to fio at @returned_ticks. @stages: false: it
 * has stamps at its beginning and end only. */
static inline struct tw_spans tw_io_spans(const struct tw_scale *scale, bool stages,
					  const struct tw_io *io, uint64_t returned_ticks,
					  uint64_t *negative)
{
	struct tw_spans spans = { .call_ns = 0 };

	if (!stages) {
		spans.lat_ns = tw_stage_ns(scale, io->prepared_ticks, returned_ticks, negative);
		return spans;
	}
	spans.queue_ns = tw_stage_ns(scale, io->prepared_ticks, io->enter_ticks, negative);
	spans.kernel_ns = tw_stage_ns(scale, io->enter_ticks, io->seen_ticks, negative);
	spans.deliver_ns = tw_stage_ns(scale, io->seen_ticks, returned_ticks, negative);
	spans.lat_ns = spans.queue_ns + spans.kernel_ns + spans.deliver_ns;
	if (io->entered_ticks)
		spans.call_ns = tw_stage_ns(scale, io->enter_ticks, io->entered_ticks, negative);
	return spans;
}

/* Split the time from enter to seen into the stages submit to reap. Without stamps of
 * the kernel it is the stage kernel. If single stamps are missing, kernel replaces the
 * stages that begin or end there. */
static inline void tw_split_kernel(const struct tw_clocks *clocks, const struct tw_io *io,
				   const struct tw_kernel_stamps *stamps,
				   struct tw_io_times *times,
				   struct tw_negative_stages *negative)
{
	const enum tw_split_status status = tw_split_status_of(stamps);
	const uint64_t kernel_ns = times->ns[TW_KERNEL];
	unsigned joined;
	int64_t enter_ns;

	if (!tw_is_late(stamps) && (status == TW_SPLIT_NO_REQUEST ||
				    status >= TW_SPLIT_NO_STAMPS))
		return;
	enter_ns = tw_span_ns(clocks->scale, clocks->zero_ticks, io->enter_ticks);
	joined = tw_split(clocks->clock_map, stamps, enter_ns, enter_ns + (int64_t)kernel_ns,
			  &times->ns[TW_SUBMIT], &times->ns[TW_KERNEL], negative);
	times->has &= ~TW_STAGES_WHOLE;
	times->has |= TW_STAGES_SPLIT & ~((uint64_t)joined << TW_SUBMIT);
	if (joined)
		times->has |= TW_TIME_BIT(TW_KERNEL);
	if (tw_io_has(times, TW_BLOCKQ))
		tw_split_blockq(clocks->clock_map, stamps, times);
}

/* Set the stages of an I/O, their parts, lat and the submitting call. @stages: false: only lat.
 * @stamps: of the kernel; not chosen if there are none. */
static inline void tw_find_times(struct tw_io_times *times, const struct tw_clocks *clocks,
				 bool stages, const struct tw_io *io,
				 const struct tw_spans *spans,
				 const struct tw_kernel_stamps *stamps,
				 struct tw_negative_stages *negative)
{
	unsigned stage;

	for (stage = 0; stage < TW_STAGES; stage++)
		times->ns[stage] = 0;
	times->has = 0;
	tw_put_time(times, TW_LAT, spans->lat_ns);
	if (!stages)
		return;
	tw_put_time(times, TW_QUEUE, spans->queue_ns);
	tw_put_time(times, TW_KERNEL, spans->kernel_ns);
	tw_put_time(times, TW_DELIVER, spans->deliver_ns);
	if (io->entered_ticks)
		tw_put_time(times, TW_CALL, spans->call_ns);
	if (clocks->clock_map)
		tw_split_kernel(clocks, io, stamps, times, negative);
}

/* Add @ns to @ts. tv_nsec stays below a second, because fio asserts that. */
static inline void tw_timespec_later(struct timespec *ts, uint64_t ns)
{
	ns += (uint64_t) ts->tv_nsec;
	if (tw__unlikely(ns >= TW_NS_PER_SECOND)) {
		ts->tv_sec += (time_t) (ns / TW_NS_PER_SECOND);
		ns %= TW_NS_PER_SECOND;
	}
	ts->tv_nsec = (long) ns;
}

/* Return how long before @returned an I/O was seen, in ns. The counter of another CPU
 * may be slightly ahead; then return 0. */
static inline uint64_t tw_earlier_ns(const struct tw_scale *scale, uint64_t seen,
				     uint64_t returned)
{
	int64_t earlier_ns = tw_span_ns(scale, seen, returned);

	return earlier_ns <= 0 ? 0 : (uint64_t) earlier_ns;
}

#endif
