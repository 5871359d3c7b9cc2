/* SPDX-License-Identifier: MIT */
/*
 * The preload clock's arithmetic: finds the line that follows another one, so that time
 * goes on without a step and meets the system's clock. Reads no clock.
 *
 * Time is cut into segments of half a millisecond at most: lines over the counter, in
 * 2^-32 ns. The system's clock is read again 0.4 ms after it was last read: this is an
 * anchor. Then a next segment is made. It begins a few microseconds ahead, exactly
 * where the present one stands then, and its slope takes it to the expected time of the
 * system's clock at the end of its half millisecond.
 *
 * The largest difference to the system's clock: an anchor is off by half its bracket,
 * 30 ns; a slope from two anchors over 2 ms is off by 30 ppm, 15 ns in half a
 * millisecond; the rest of TW_STEER_BOUND_NS is rounding. NTP's slew may change at any
 * time, by twice its largest value: |slew| x 1 ms in the half millisecond. A segment
 * that starts elsewhere has an error that is a weighted mean of those at its start and
 * at its end.
 */
#ifndef TW_PRELOAD_STEER_H
#define TW_PRELOAD_STEER_H

#include <stdint.h>

#include "anchor.h"
#include "machine/steering.h"

#define TW_STEER_RENEW_NS	400000
#define TW_STEER_HARD_NS	500000
/* How far ahead a segment starts, and how much of that must be left when all threads
 * can see it: for counters that are apart, and what processors delay a read by. */
#define TW_STEER_AHEAD_NS	4000
#define TW_STEER_MARGIN_NS	2000
/* The widest anchor that is used. Its error is half of this. For emulated
 * processors both are set when this is compiled: there no anchor is narrow. */
#ifndef TW_STEER_BRACKET_NS
#define TW_STEER_BRACKET_NS	60
#define TW_STEER_BOUND_NS	50
#endif
/* The steepest slew that is followed: that of the largest frequency that NTP
 * can set. */
#define TW_STEER_SLEW_PPM	TW_NTP_FREQUENCY_PPM
#define TW_STEER_ANCHORS	8

/* The time from a tick on, read by many threads. With since = ticks after @start, the
 * ns since the beginning of @seconds are (@base + since * @mult) >> 32, for since <
 * @hard. From @renew on, the system's clock should be read again. */
struct tw_line {
	uint64_t start;
	uint64_t renew;
	uint64_t mult;
	uint64_t base;
	uint64_t seconds;
	uint64_t hard;
	uint64_t after_system;	/* 1: before it, the system's clock was used */
} __attribute__((aligned(64)));

/* What is known of both clocks. */
struct tw_steer {
	double ns_per_tick;		/* of CLOCK_MONOTONIC_RAW: slew of 0 */
	double slope;			/* of the system's clock, now */
	int is_measured;		/* 0: the slope is a first guess */
	struct tw_anchor_at anchor[TW_STEER_ANCHORS];
	unsigned anchors;		/* all since the last reset */
};

enum tw_steer_result {
	TW_STEER_GOOD,
	TW_STEER_WIDE,			/* no anchor narrow enough */
	TW_STEER_SLEWED,		/* over TW_STEER_SLEW_PPM */
	TW_STEER_JUMPED,		/* no slew explains the difference */
	TW_STEER_EARLY,			/* the slope is not known yet, or a
					   clock that was ahead waits */
};

void tw_steer_init(struct tw_steer *steer, double ns_per_tick);

/* Forget the anchors and the slope: what comes does not depend on them. */
void tw_steer_reset(struct tw_steer *steer);

int tw_anchor_is_good(const struct tw_anchor_at *anchor);

/* Use an anchor. Return: TW_STEER_GOOD; TW_STEER_WIDE, and it was not used;
 * TW_STEER_EARLY, more are needed; TW_STEER_SLEWED. */
enum tw_steer_result tw_steer_add(struct tw_steer *steer,
				  const struct tw_anchor_at *anchor);

/* Make the segment that follows @line without a step, TW_STEER_AHEAD_NS after the tick
 * @now. Return: TW_STEER_GOOD; TW_STEER_WIDE, it is too late for it; TW_STEER_JUMPED,
 * use the system's clock. */
enum tw_steer_result tw_steer_follow(const struct tw_steer *steer,
				     const struct tw_line *line, uint64_t now,
				     struct tw_line *next);

/* Make the first segment after the system's clock was read, where that is expected to
 * be then. No time above @ceiling_ns was ever given. Call it after tw_steer_add() has
 * returned TW_STEER_GOOD. Return: TW_STEER_GOOD; TW_STEER_EARLY; TW_STEER_WIDE;
 * TW_STEER_JUMPED. */
enum tw_steer_result tw_steer_enter(const struct tw_steer *steer,
				    uint64_t ceiling_ns, uint64_t now,
				    struct tw_line *next);

/* Return the slew. + = the system's clock runs faster than CLOCK_MONOTONIC_RAW. */
double tw_steer_slew_ppm(const struct tw_steer *steer);

/* Return the time in 2^-32 ns since the beginning of line->seconds. */
static inline uint64_t tw_line_at(const struct tw_line *line, uint64_t since)
{
	return line->base + since * line->mult;
}

/* Return the time in whole nanoseconds since the epoch. */
static inline uint64_t tw_line_ns(const struct tw_line *line, uint64_t since)
{
	return line->seconds * 1000000000 + (tw_line_at(line, since) >> 32);
}

/* Return the ceiling: no time that was given from this line is above it. */
static inline uint64_t tw_line_ceiling_ns(const struct tw_line *line)
{
	return tw_line_ns(line, line->hard);
}

#endif
