/* SPDX-License-Identifier: MIT */
/*
 * Where three clocks are at one moment: CLOCK_MONOTONIC_RAW, CLOCK_MONOTONIC
 * and one under test, each as an interval. Used by `tickwise compare` and
 * by its probe inside of fio, and so without anything but libc.
 *
 * Each reading happened between two reads of the
 * counter, and its value v stands for v to v + 1 ns; many of them are
 * intersected. That needs a rate for the ticks between them. What the rate is off
 * matters for the fraction of a millisecond that a moment takes, and there it
 * cancels where clocks are compared: their readings take turns.
 */
#ifndef TW_PROBE_MOMENT_H
#define TW_PROBE_MOMENT_H

#include <stdint.h>
#include <time.h>

enum tw_probe_clock {
	TW_PROBE_RAW,
	TW_PROBE_MONOTONIC,
	TW_PROBE_TESTED,
	TW_PROBE_CLOCKS,
};

struct tw_probe_moment {
	uint64_t ticks;			/* when that was */
	uint64_t base_ns[TW_PROBE_CLOCKS];
	double low_ns[TW_PROBE_CLOCKS];	/* then it showed base + low to high */
	double high_ns[TW_PROBE_CLOCKS];
};

struct tw_probe_reader {
	uint64_t (*read_ns)(void *context);
	void *context;
};

/* The real clock_gettime(), whatever was preloaded. */
typedef int tw_probe_gettime(clockid_t, struct timespec *);

/**
 * tw_probe_moment_take - read all three, over and over for a millisecond
 * @ns_per_tick: good to some ppm
 * @real: reads the two system clocks
 * @tested: the third
 *
 * Intervals that contradict each other give the hull of the contradiction.
 */
void tw_probe_moment_take(struct tw_probe_moment *moment, double ns_per_tick,
			  tw_probe_gettime *real,
			  const struct tw_probe_reader *tested);

/* ns of one reading: the median of some blocks. */
double tw_probe_read_cost(double ns_per_tick,
			  const struct tw_probe_reader *tested);

#endif
