/* SPDX-License-Identifier: MIT */
/*
 * The state behind a struct tw_clock, and what its files share. Internal.
 */
#ifndef TW_CLOCK_CLOCK_H
#define TW_CLOCK_CLOCK_H

#include "brackets.h"
#include "machine/other_clocks.h"
#include "machine/vmclock.h"
#include "tickwise.h"

/* One reading of both clocks, with the counter's step behind it. */
struct tw_clock_baseline {
	struct tw_bracket bracket;
	uint64_t granularity_ns;
};

/* All that was seen, except the CPUs' counters. */
struct tw_health_seen {
	struct tw_clock_baseline baseline;
	int counter_is_clocksource;
	char clocksource[32];
	int64_t suspended_ns;		/* since boot: BOOTTIME - MONOTONIC */
	int vmclock_ret;		/* of tw_vmclock_read() */
	struct tw_vmclock vmclock;
	struct tw_independent independent;
	struct tw_independent independent_later;	/* some ms later */
};

struct tw_clock_state {
	struct tw_rate rate;
	struct tw_health_seen start;
};

/* Set up a clock of zeros with a state of its own. Return: 0; -ENOMEM. */
int tw_clock_new(struct tw_clock *clock);

/* ---- setting up: set_up.c ---- */

/* Calibrate the counter and anchor it. Returns as tw_rate_measure(),
 * tw_scale_init() and tw_clock_mark(). */
int tw_clock_set_up(struct tw_clock *clock,
		    const struct tw_clock_options *options);

/* Make the clock read the system clock from now on. @why: kept as
 * clock->system_errno. */
void tw_clock_use_system(struct tw_clock *clock, int why);

/* ---- scales ---- */

/* The rates that tw_scale_init() takes: 10 MHz to 10 GHz. For these the
 * arithmetic of the conversion fits in 64 bits. */
#define TW_MIN_HZ	10000000ULL
#define TW_MAX_HZ	10000000000ULL

/* ---- health: the facts but for the CPUs' counters, and each check by itself ---- */

/*
 * Read both clocks for a fifth of a millisecond. @source: NULL: the real clocks. Return 0;
 * -EAGAIN if no bracket was read; -ENOMEM; -EIO as tw_brackets_collect().
 */
int tw_baseline_read(struct tw_clock_baseline *baseline, const struct tw_time_source *source);

/* Collect the facts but for the baseline and independent_later. */
void tw_health_see_machine(struct tw_health_seen *seen);

/* The same with the baseline. Return 0; -ENOMEM; -EIO as tw_clock_check(). */
int tw_health_see(struct tw_health_seen *seen);

/* Fill in all but the verdict and the members about the CPUs. Return 0; -EIO
 * when time stood still. */
int tw_health_judge(const struct tw_clock *clock,
		    const struct tw_health_seen *seen,
		    struct tw_clock_health *health);

#endif
