/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Compute the times of an I/O's stages from its stamps, and the times that fio gets
 * from the end of an I/O. This is arithmetic only. No function here reads a clock or
 * depends on fio, so tests/unit/plugin/engine_counts.c can pass any stamps.
 *
 * Stamps are ticks of the counter or, if @system is set, nanoseconds of the system
 * clock.
 */
#ifndef TW_PLUGIN_IO_TIMES_H
#define TW_PLUGIN_IO_TIMES_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "kernel/join.h"
#include "latency/stages.h"
#include "tickwise.h"

#define TW_STAGE_BIT(stage)	(1U << (stage))
#define TW_STAGES_INSIDE	((TW_STAGE_BIT(TW_INSIDE_STAGES) - 1) << TW_SUBMIT)
/* The stages of an I/O whose time in the kernel is split, and of one where it is not. */
#define TW_STAGES_SPLIT		((TW_STAGE_BIT(TW_STAGES) - 1) & ~TW_STAGE_BIT(TW_KERNEL))
#define TW_STAGES_WHOLE		((TW_STAGE_BIT(TW_STAGES) - 1) & ~TW_STAGES_INSIDE)

/* The stamps of one I/O, in the order in which they are taken. */
struct tw_io {
	uint64_t prepared_ticks;	/* prep() ended: fio reads start_time next */
	uint64_t enter_ticks;		/* the submitting call began */
	uint64_t entered_ticks;		/* the submitting call ended; 0: no call */
	uint64_t seen_ticks;		/* its completion was seen in the ring */
	struct tw_slot kernel;		/* stamps of the kernel; its key is set */
};

/* What turns stamps into times. */
struct tw_clocks {
	const struct tw_scale *scale;
	bool system;
	uint64_t zero_ticks;		/* the zero of join's own time */
	const struct tw_join *join;	/* NULL: no stamps of the kernel */
};

/* What is wrong with the stamps of some I/Os. */
struct tw_contradictions {
	uint64_t negative;		/* stages by the engine's own stamps */
	struct tw_inside_negative inside;
};

struct tw_io_times {
	unsigned stages;		/* the stages it has, as bits */
	enum tw_inside inside;
	uint64_t stage_ns[TW_STAGES];
	struct tw_blockq_parts blockq;
	uint64_t lat_ns;		/* the sum of the stages */
	uint64_t call_ns;		/* inside the submitting call */
};

/* Return the time from @from to @to in ns; negative if @to is before @from. */
static inline int64_t tw_span_ns(const struct tw_scale *scale, bool system,
				 uint64_t from, uint64_t to)
{
	int64_t span = (int64_t)(to - from);

	return tw__unlikely(system) ? span : tw_ticks_delta_to_ns(scale, span);
}

/* Return the length of a stage. A CPU whose counter is behind can make it negative: then
 * return 0 and count it in @negative, which makes the counter's verdict "unreliable". */
static inline uint64_t tw_stage_ns(const struct tw_scale *scale, bool system,
				   uint64_t from, uint64_t to,
				   uint64_t *negative)
{
	int64_t ns = tw_span_ns(scale, system, from, to);

	if (tw__unlikely(ns < 0)) {
		(*negative)++;
		return 0;
	}
	return (uint64_t)ns;
}

/* Split the time from enter to seen into the stages submit to reap. Without stamps of
 * the kernel it is the stage kernel. If single stamps are missing, kernel replaces the
 * stages that begin or end there. */
static inline void tw_kernel_times(const struct tw_clocks *clocks,
				   const struct tw_io *io,
				   struct tw_io_times *times,
				   struct tw_contradictions *wrong)
{
	const uint64_t zero = clocks->zero_ticks;
	unsigned joined;

	times->stages = TW_STAGES_WHOLE;
	times->stage_ns[TW_KERNEL] =
		tw_stage_ns(clocks->scale, clocks->system, io->enter_ticks,
			    io->seen_ticks, &wrong->negative);
	if (!clocks->join)
		return;
	times->inside = tw_inside_of(&io->kernel);
	if (!tw_is_late(&io->kernel) && (times->inside == TW_INSIDE_NO_REQUEST ||
					 times->inside >= TW_INSIDE_NO_STAMPS))
		return;
	joined = tw_inside_split(clocks->join, &io->kernel,
				 tw_span_ns(clocks->scale, clocks->system, zero,
					    io->enter_ticks),
				 tw_span_ns(clocks->scale, clocks->system, zero,
					    io->seen_ticks),
				 &times->stage_ns[TW_SUBMIT],
				 &times->stage_ns[TW_KERNEL], &wrong->inside);
	times->stages = TW_STAGES_SPLIT & ~(joined << TW_SUBMIT);
	if (joined)
		times->stages |= TW_STAGE_BIT(TW_KERNEL);
	if (times->stages & TW_STAGE_BIT(TW_BLOCKQ))
		times->blockq = tw_blockq_parts(clocks->join, &io->kernel,
						times->stage_ns[TW_BLOCKQ]);
}

/* Return all times of an I/O with stamps of its stages. */
static inline struct tw_io_times
tw_io_times(const struct tw_clocks *clocks, const struct tw_io *io,
	    uint64_t returned_ticks, struct tw_contradictions *wrong)
{
	struct tw_io_times times = { .lat_ns = 0 };
	enum tw_stage stage;

	tw_kernel_times(clocks, io, &times, wrong);
	times.stage_ns[TW_QUEUE] =
		tw_stage_ns(clocks->scale, clocks->system, io->prepared_ticks,
			    io->enter_ticks, &wrong->negative);
	times.stage_ns[TW_DELIVER] =
		tw_stage_ns(clocks->scale, clocks->system, io->seen_ticks,
			    returned_ticks, &wrong->negative);
	for (stage = 0; stage < TW_STAGES; stage++)
		times.lat_ns += times.stage_ns[stage];
	if (io->entered_ticks)
		times.call_ns = tw_stage_ns(clocks->scale, clocks->system,
					    io->enter_ticks, io->entered_ticks,
					    &wrong->negative);
	return times;
}

/* Return the times of an I/O with stamps at its beginning and end only. */
static inline struct tw_io_times
tw_io_lat(const struct tw_clocks *clocks, const struct tw_io *io,
	  uint64_t returned_ticks, struct tw_contradictions *wrong)
{
	return (struct tw_io_times) {
		.lat_ns = tw_stage_ns(clocks->scale, clocks->system,
				      io->prepared_ticks, returned_ticks,
				      &wrong->negative),
	};
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
static inline uint64_t tw_earlier_ns(const struct tw_scale *scale, bool system,
				     uint64_t seen, uint64_t returned)
{
	int64_t earlier_ns = tw_span_ns(scale, system, seen, returned);

	return earlier_ns <= 0 ? 0 : (uint64_t) earlier_ns;
}

#endif
