/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The clock that the jobs of one fio process share, and moments on which it is
 * compared with the system's clocks and with fio's own.
 *
 * It is set up once, by the first job that needs it; fio asks for file sizes
 * before it forks its jobs, so that is normally the parent, and the children
 * inherit it. 20 ms of calibration against CLOCK_MONOTONIC_RAW and a check of
 * some ms that the CPUs' counters agree.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "engine.h"

#define CALIBRATION_NS	20000000ULL
#define CHECK_NS	20000000ULL
#define MOMENT_BRACKETS	256

static struct tw_timing timing;
static pthread_once_t timing_once = PTHREAD_ONCE_INIT;

static void use_system_clock(const char *why, const char *detail)
{
	const struct tw_clock_options options = { .system = TW_ON };

	tw_clock_init(&timing.clock, &options);
	fprintf(stderr, "tickwise: %s (%s); latencies are taken from "
		"CLOCK_MONOTONIC_RAW instead\n", why, detail);
}

static void check_counter(void)
{
	const struct tw_reliability_options options = {
		.time_limit_ns = CHECK_NS,
		.hz = timing.clock.rate.hz,
	};
	struct tw_reliability found;

	if (tw_reliability_measure(&found, &options))
		return;
	timing.checked = 1;
	timing.verdict = found.verdict;
	timing.reasons = found.reasons;
	tw_reliability_free(&found);
}

static void set_up(void)
{
	const struct tw_clock_options options = { .window_ns = CALIBRATION_NS };
	int ret;

	ret = tw_clock_init(&timing.clock, &options);
	if (ret)
		timing.clock.system_errno = ret;
	if (ret || timing.clock.system) {
		use_system_clock("the CPU's counter can't be calibrated",
				 strerror(-timing.clock.system_errno));
		return;
	}
	check_counter();
	if (timing.checked && timing.verdict == TW_UNRELIABLE)
		use_system_clock("the CPUs' counters disagree",
				 tw_reliability_reason_text(timing.reasons &
							    -timing.reasons));
}

const struct tw_timing *tw_timing_of_process(void)
{
	pthread_once(&timing_once, set_up);
	return &timing;
}

static uint64_t timespec_ns(const struct timespec *ts)
{
	return (uint64_t)ts->tv_sec * TW_NS_PER_SECOND + (uint64_t)ts->tv_nsec;
}

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

/*
 * The clock's offset from the counter's time, bracketed. Its value v was true
 * for some moment between the two reads of the counter, and means v to v + 1.
 */
static struct tw_offset offset_of(const struct tw_job *job, uint64_t ticks0,
				  void (*read_clock)(struct timespec *))
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
		/* One more on both sides: the conversion rounds. */
		low_ns = (int64_t)timespec_ns(&now) -
			 tw_job_ns(job, ticks0, after) - 1;
		high_ns = (int64_t)timespec_ns(&now) + 1 -
			  tw_job_ns(job, ticks0, before) + 1;
		if (low_ns > offset.low_ns)
			offset.low_ns = low_ns;
		if (high_ns < offset.high_ns)
			offset.high_ns = high_ns;
	}
	return offset;
}

/*
 * Offsets are relative to the counter's time since the job's own start, so
 * that two moments of a job share a zero.
 */
void tw_moment_take(const struct tw_job *job, struct tw_moment *moment)
{
	uint64_t ticks = tw_job_stamp(job);
	uint64_t ticks0 = job->started ? job->start.ticks : ticks;

	*moment = (struct tw_moment) {
		.ticks = ticks,
		.raw = offset_of(job, ticks0, read_raw),
		.monotonic = offset_of(job, ticks0, read_monotonic),
		.fio = offset_of(job, ticks0, read_fio),
	};
}
