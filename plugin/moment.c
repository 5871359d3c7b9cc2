/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Moments: the offsets of the system's clocks and of fio's clock from the counter.
 */
#include <time.h>

#include "engine.h"
#include "timespec.h"

#define MOMENT_BRACKETS	256

static void read_raw(struct timespec *ts)
{
	clock_gettime(CLOCK_MONOTONIC_RAW, ts);
}

static void read_monotonic(struct timespec *ts)
{
	clock_gettime(CLOCK_MONOTONIC, ts);
}

static void read_fio(struct timespec *ts)
{
	fio_gettime(ts, NULL);
}

/* Return the granularity of fio's clock: a reading v means v to v + granularity. */
static int64_t fio_granularity_ns(void)
{
	return fio_clock_source == CS_GTOD ? 1000 : 1;
}

/*
 * Return the bounds of the clock's offset from the counter's time, from brackets. A
 * reading v of the clock means v to v + granularity. It was true at some moment between
 * the two reads of the counter around it.
 */
static struct tw_offset offset_of(const struct tw_job *job, uint64_t ticks0,
				  void (*read_clock)(struct timespec *),
				  int64_t granularity_ns)
{
	struct tw_offset offset = { INT64_MIN, INT64_MAX };
	struct timespec now;
	unsigned i;

	for (i = 0; i < MOMENT_BRACKETS; i++) {
		uint64_t before, after;
		int64_t low_ns, high_ns;

		before = job->system ? tw_job_stamp(job) : tw_ticks_begin();
		read_clock(&now);
		after = job->system ? tw_job_stamp(job) : tw_ticks_end();
		/* 1 ns more on both sides, because the conversion rounds. */
		low_ns = (int64_t)tw_timespec_ns(&now) -
			 tw_job_ns(job, ticks0, after) - 1;
		high_ns = (int64_t)tw_timespec_ns(&now) + granularity_ns -
			  tw_job_ns(job, ticks0, before) + 1;
		if (low_ns > offset.low_ns)
			offset.low_ns = low_ns;
		if (high_ns < offset.high_ns)
			offset.high_ns = high_ns;
	}
	/* The brackets contradict each other if the clock stood still (fio's gtod_cpu
	 * thread) or stepped, or if the thread moved between CPUs. Then the offset lies
	 * somewhere between the two bounds, in reverse order. */
	if (offset.low_ns > offset.high_ns)
		offset = (struct tw_offset) { offset.high_ns, offset.low_ns };
	return offset;
}

/*
 * Take a moment. Offsets are relative to the counter's time since the job's start, so
 * that both moments of a job have the same zero.
 */
void tw_moment_take(const struct tw_job *job, struct tw_moment *moment)
{
	uint64_t ticks = tw_job_stamp(job);
	uint64_t ticks0 = job->started ? job->start.ticks : ticks;

	*moment = (struct tw_moment) {
		.ticks = ticks,
		.raw = offset_of(job, ticks0, read_raw, 1),
		.monotonic = offset_of(job, ticks0, read_monotonic, 1),
		.fio = offset_of(job, ticks0, read_fio,
				 fio_granularity_ns()),
	};
}
