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
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "engine.h"
#include "timespec.h"

#define CALIBRATION_NS	20000000ULL
#define LONGER_CALIBRATION_NS	100000000ULL
#define CHECK_NS	20000000ULL
#define MOMENT_BRACKETS	256

static struct tw_timing timing;
static pthread_once_t timing_once = PTHREAD_ONCE_INIT;

/*
 * What else there is may be no better, and then that is said, too: a clock that
 * the kernel computes from the same counter, or one that moves in its ticks.
 */
static void use_system_clock(const char *why, const char *detail)
{
	const struct tw_clock_options options = { .system = TW_ON };
	int same_counter = timing.clock.start.counter_is_clocksource;
	struct timespec step = { 0, 0 };

	tw_clock_init(&timing.clock, &options);
	clock_getres(CLOCK_MONOTONIC_RAW, &step);
	timing.step_ns = tw_timespec_ns(&step);
	fprintf(stderr, "tickwise: %s (%s); latencies are taken from "
		"CLOCK_MONOTONIC_RAW instead", why, detail);
	if (same_counter)
		fputs(", which the kernel computes from the same counter: they "
		      "are not reliable either", stderr);
	if (timing.step_ns > 1)
		fprintf(stderr, ", which moves in steps of %llu ns: they are "
			"no finer", (unsigned long long) timing.step_ns);
	fputc('\n', stderr);
}

/* What two stamps of the same moment may differ by. */
static uint64_t widest(const struct tw_reliability *found)
{
	uint64_t low = (uint64_t) llabs(found->offset_low_ticks);
	uint64_t high = (uint64_t) llabs(found->offset_high_ticks);

	return low > high ? low : high;
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
	timing.apart_ticks = widest(&found);
	tw_reliability_free(&found);
}

static const char *calibration_failure(int error)
{
	switch (error) {
	case EAGAIN:
		return "the machine is too busy";
	case EIO:
		return "it and the system clock don't run at one rate";
	default:
		return strerror(error);
	}
}

static void set_up(void)
{
	struct tw_clock_options options = { .window_ns = CALIBRATION_NS };
	int ret;

	ret = tw_clock_init(&timing.clock, &options);
	/* Where others had the CPU for nearly all of the window. */
	if (!ret && timing.clock.system_errno == -EAGAIN) {
		options.window_ns = LONGER_CALIBRATION_NS;
		ret = tw_clock_init(&timing.clock, &options);
	}
	if (ret)
		timing.clock.system_errno = ret;
	if (ret || timing.clock.system) {
		use_system_clock("the CPU's counter can't be calibrated",
			calibration_failure(-timing.clock.system_errno));
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

/* What a reading of fio's clock stands for: v to v + this. */
static int64_t fio_granularity_ns(void)
{
	return fio_clock_source == CS_GTOD ? 1000 : 1;
}

/*
 * The clock's offset from the counter's time, bracketed. Its value v was true
 * for some moment between the two reads of the counter, and means v to v +
 * granularity.
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
		/* One more on both sides: the conversion rounds. */
		low_ns = (int64_t)tw_timespec_ns(&now) -
			 tw_job_ns(job, ticks0, after) - 1;
		high_ns = (int64_t)tw_timespec_ns(&now) + granularity_ns -
			  tw_job_ns(job, ticks0, before) + 1;
		if (low_ns > offset.low_ns)
			offset.low_ns = low_ns;
		if (high_ns < offset.high_ns)
			offset.high_ns = high_ns;
	}
	/* Brackets that contradict each other: the clock stood still (fio's
	 * gtod_cpu thread), stepped, or we were moved between CPUs. Then it
	 * is somewhere in all that lies between them. */
	if (offset.low_ns > offset.high_ns)
		offset = (struct tw_offset) { offset.high_ns, offset.low_ns };
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
		.raw = offset_of(job, ticks0, read_raw, 1),
		.monotonic = offset_of(job, ticks0, read_monotonic, 1),
		.fio = offset_of(job, ticks0, read_fio,
				 fio_granularity_ns()),
	};
}
