/* SPDX-License-Identifier: MIT */
/*
 * The state behind a struct tw_clock, and its segments. Internal.
 */
#ifndef TW_CLOCK_CLOCK_H
#define TW_CLOCK_CLOCK_H

#include "tickwise.h"

/* Baselines at least double: from 5 ms, 36 of them are 10 years. */
#define TW_CLOCK_SEGMENTS	36

/* One reading of both clocks. When the clock that the rate is against read @bracket_ns, the
 * counter was between @before_ticks and @after_ticks for certain, and probably at
 * @before_ticks + @offset_ticks. */
struct tw_clock_baseline {
	double offset_ticks;
	double sigma_ns;
	double spread_ns;
	uint64_t before_ticks;
	uint64_t after_ticks;
	uint64_t bracket_ns;
	uint64_t granularity_ns;
};

struct tw_clock_state {
	struct tw_rate rate;		/* as set up; now: tw_clock_rate() */
	const struct tw_reliability *reliability;	/* or NULL */
	struct {
		double high_ns;		/* two ordered reads with nothing in
					   between: 99 of 100 take no longer */
		double step_ticks;	/* by which the counter moves: 1 */
	} read;
	struct {			/* the machine at the start */
		int counter_is_clocksource;
		int kernel_rate_wanted;
		int64_t suspended_ns;	/* BOOTTIME - MONOTONIC */
		int vmclock;		/* 1: there is a vmclock, with this */
		uint64_t disruption_marker;
		char independent[32];	/* another clock, "" for none */
		int64_t independent_ns;	/* what it showed, */
		uint64_t raw_ns;	/* and RAW at the same moment */
	} start;
	/* tw_clock_refine() writes these, and the clock's limit and last
	 * segment. */
	struct tw_clock_baseline baseline;
	pid_t refining;			/* the process that refines; 0: none */
	unsigned rate_slot;		/* the slot of the rate that holds */
	struct tw_rate refined_rate[2];
	unsigned segments;		/* how many there are */
	struct tw__clock_segment segment[TW_CLOCK_SEGMENTS];
};

/* Set up a clock of zeros with a state of its own. Return: 0; -ENOMEM. */
int tw_clock_new(struct tw_clock *clock);

/* Return the segment that holds for @ticks; NULL: the first one, which is in
 * the clock itself. */
const struct tw__clock_segment *tw_segment_at(const struct tw_clock *clock,
					     uint64_t ticks);

/*
 * Let @rate hold from a moment some milliseconds ahead. @source: where the
 * counter is read; NULL: the real one. One caller at a time.
 *
 * Return: 0, or
 *	-EAGAIN		this thread was held up so long that readers could miss the
 *			segment: nothing has changed
 *	-ENOSPC		no segment is left
 *	-ERANGE		as tw_scale_init(); or the clock is at the end of its range
 */
int tw_segment_append(struct tw_clock *clock, const struct tw_rate *rate,
		      const struct tw_time_source *source);

/* ---- setting up: set_up.c ---- */

/* Return the clock that the anchor is on, as the clock of a rate. */
enum tw_against tw_anchor_on(enum tw_anchor anchor, enum tw_against against);

/* Calibrate the counter and anchor it. Returns as tw_rate_measure(),
 * tw_scale_init() and tw_clock_mark(). */
int tw_clock_set_up(struct tw_clock *clock,
		    const struct tw_clock_options *options);

/* Make the clock read the system clock from now on. @why: kept as
 * clock->system_errno. */
void tw_clock_use_system(struct tw_clock *clock, int why);

#endif
