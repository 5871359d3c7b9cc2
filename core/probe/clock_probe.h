/* SPDX-License-Identifier: MIT */
/*
 * What three clocks show at one moment: CLOCK_MONOTONIC_RAW, CLOCK_MONOTONIC
 * and a clock under test, each as an interval. `tickwise compare` uses this,
 * and so does its probe inside fio. So this needs only libc.
 *
 * Each reading is made between two reads of the counter, and its value v stands
 * for v to v + 1 ns. Many such intervals are intersected. A rate converts the
 * ticks between them. Its error only matters for the fraction of a millisecond
 * that a moment takes. In a comparison of clocks the error cancels, because
 * their readings take turns.
 */
#ifndef TW_CLOCK_PROBE_H
#define TW_CLOCK_PROBE_H

#include <stdint.h>
#include <time.h>

#include "anchor.h"

enum tw_probe_clock {
	TW_PROBE_RAW,
	TW_PROBE_MONOTONIC,
	TW_PROBE_TESTED,
	TW_PROBE_CLOCKS,
};

struct tw_probe_reader {
	uint64_t (*read_ns)(void *context);
	void *context;
};

/* The real clock_gettime(), also if another one is preloaded. */
typedef int tw_probe_gettime(clockid_t, struct timespec *);

/* Read all three clocks, over and over for a millisecond, and set what each showed at one
 * tick. @ns_per_tick: good to some ppm. @real: reads the two system clocks. If intervals
 * contradict each other, the result is the hull of the contradiction. */
void tw_probe_moment_take(struct tw_anchor_at moment[TW_PROBE_CLOCKS], double ns_per_tick,
			  tw_probe_gettime *real, const struct tw_probe_reader *tested);

/* Return the ns of one reading: the median of some blocks. */
double tw_probe_read_cost(double ns_per_tick,
			  const struct tw_probe_reader *tested);

/* ---- the report of one start of a clock ---- */

/* The probe's environment. */
#define TW_PROBE_FD	"TICKWISE_PROBE_FD"	/* where it writes */
#define TW_PROBE_SLOPE	"TICKWISE_PROBE_NS_PER_TICK"
#define TW_PROBE_WINDOW	"TICKWISE_PROBE_WINDOW_NS"
#define TW_PROBE_BEGIN	"TICKWISE_PROBE_BEGIN_NS"	/* when fio was started */

/* The probe in fio, or a child of `tickwise compare`, sends it to `tickwise compare` twice:
 * once with the first moment, and at the end. Both programs are of one build. */
struct tw_probe_report {
	double startup_ns;
	double read_ns;
	struct tw_anchor_at moment[2][TW_PROBE_CLOCKS];
};

/* Return 0; -1 if nobody reads it. */
int tw_probe_send(int fd, const struct tw_probe_report *report);

#endif
