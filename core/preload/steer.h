/* SPDX-License-Identifier: MIT */
/*
 * The preload clock's arithmetic: which line follows which, so that time goes
 * on without a step and ends up where the system's clock is. Reads no clock.
 *
 * Time is cut into segments of half a millisecond at most. A segment is a line
 * over the counter, in 2^-32 ns. When four tenths of a millisecond have passed
 * since the system's clock was looked at, it is looked at again (an anchor), and
 * a next segment is made: it begins a few microseconds ahead exactly where the
 * present one stands, and has the slope that takes it to where the system's
 * clock is expected when its half millisecond is over.
 *
 * What that is off the system's clock at most: an anchor is half its bracket
 * off, 30 ns; a slope from two of them over 2 ms 30 ppm, 15 ns in half a
 * millisecond; the rest of TW_STEER_BOUND_NS is rounding. And NTP's slew may
 * change at any time, by twice its largest: |slew| x 1 ms in that half. Where
 * a segment starts elsewhere than the system's clock, its error is a weighted
 * mean of that at the start and that at the end, never more than the larger.
 */
#ifndef TW_PRELOAD_STEER_H
#define TW_PRELOAD_STEER_H

#include <stdint.h>

#include "machine/steering.h"

#define TW_STEER_RENEW_NS	400000
#define TW_STEER_HARD_NS	500000
/* How far ahead a segment starts, and what of that must be left once all can
 * see it: covers counters apart, and what processors delay a read by. */
#define TW_STEER_AHEAD_NS	4000
#define TW_STEER_MARGIN_NS	2000
/* The widest anchor that is taken: it is half of this off. Where processors are
 * emulated both are set when it is compiled: no anchor is narrow there. */
#ifndef TW_STEER_BRACKET_NS
#define TW_STEER_BRACKET_NS	60
#define TW_STEER_BOUND_NS	50
#endif
/* The steepest slew that is followed: a frequency that NTP set. */
#define TW_STEER_SLEW_PPM	TW_NTP_FREQUENCY_PPM
#define TW_STEER_ANCHORS	8

/**
 * struct tw_anchor_at - the system's clock at one tick, as an interval
 *
 * At @ticks it was within [low, high] of @ns.
 */
struct tw_anchor_at {
	uint64_t ticks;
	uint64_t ns;
	double low_ns, high_ns;
};

/**
 * struct tw_line - time from a tick on; read by many
 *
 * ns since the beginning of @seconds are (@base + since * @mult) >> 32, since
 * being ticks after @start. Of use for since < @hard; from @renew on it is time
 * to look at the system's clock again.
 */
struct tw_line {
	uint64_t start;
	uint64_t renew;
	uint64_t mult;
	uint64_t base;
	uint64_t seconds;
	uint64_t hard;
	uint64_t after_system;	/* 1: before it, the system's clock was read */
} __attribute__((aligned(64)));

/**
 * struct tw_steer - what is known of both clocks
 */
struct tw_steer {
	double ns_per_tick;		/* of CLOCK_MONOTONIC_RAW: slew of 0 */
	double slope;			/* of the system's clock, now */
	int is_measured;		/* not just a first guess */
	struct tw_anchor_at anchor[TW_STEER_ANCHORS];
	unsigned anchors;		/* ever taken since the last reset */
};

enum tw_steer_result {
	TW_STEER_GOOD,
	TW_STEER_WIDE,			/* no anchor narrow enough */
	TW_STEER_SLEWED,		/* over TW_STEER_SLEW_PPM */
	TW_STEER_JUMPED,		/* no slew explains where it is */
	TW_STEER_EARLY,			/* the slope is not known yet, or a
					   clock that ran ahead waits */
};

void tw_steer_init(struct tw_steer *steer, double ns_per_tick);

/* Nothing of before says anything about what comes. */
void tw_steer_reset(struct tw_steer *steer);

/**
 * tw_anchor_begin, tw_anchor_narrow - intersect brackets into an anchor
 * @before, @after: ticks that enclose the reading @ns, which is floored
 */
void tw_anchor_begin(struct tw_anchor_at *anchor, double slope, uint64_t before,
		     uint64_t ns, uint64_t after);
void tw_anchor_narrow(struct tw_anchor_at *anchor, double slope,
		      uint64_t before, uint64_t ns, uint64_t after);
int tw_anchor_is_good(const struct tw_anchor_at *anchor);

/**
 * tw_steer_add - learn from an anchor
 *
 * Return: TW_STEER_GOOD; TW_STEER_WIDE, and nothing was learnt;
 * TW_STEER_EARLY, it takes more of them; TW_STEER_SLEWED.
 */
enum tw_steer_result tw_steer_add(struct tw_steer *steer,
				  const struct tw_anchor_at *anchor);

/**
 * tw_steer_follow - the segment that follows @line without a step
 * @now: ticks; it starts TW_STEER_AHEAD_NS after
 *
 * Return: TW_STEER_GOOD; TW_STEER_JUMPED, use the system's clock.
 */
enum tw_steer_result tw_steer_follow(const struct tw_steer *steer,
				     const struct tw_line *line, uint64_t now,
				     struct tw_line *next);

/**
 * tw_steer_enter - the first segment after the system's clock was read
 * @ceiling_ns: nothing above was ever answered
 *
 * It starts where the system's clock is expected to be then. To be called after
 * tw_steer_add() found it good. Return: TW_STEER_GOOD; TW_STEER_EARLY;
 * TW_STEER_JUMPED.
 */
enum tw_steer_result tw_steer_enter(const struct tw_steer *steer,
				    uint64_t ceiling_ns, uint64_t now,
				    struct tw_line *next);

/* + = the system's clock runs faster than CLOCK_MONOTONIC_RAW */
double tw_steer_slew_ppm(const struct tw_steer *steer);

/* In 2^-32 ns since the beginning of line->seconds. */
static inline uint64_t tw_line_at(const struct tw_line *line, uint64_t since)
{
	return line->base + since * line->mult;
}

/* Whole nanoseconds since the epoch. */
static inline uint64_t tw_line_ns(const struct tw_line *line, uint64_t since)
{
	return line->seconds * 1000000000 + (tw_line_at(line, since) >> 32);
}

/* Nothing that was answered from this line is above. */
static inline uint64_t tw_line_ceiling_ns(const struct tw_line *line)
{
	return tw_line_ns(line, line->hard);
}

#endif
