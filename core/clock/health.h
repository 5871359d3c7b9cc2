/* SPDX-License-Identifier: MIT */
/*
 * The health of a clock: collecting the facts, except the CPUs' counters, and judging
 * each check by itself. Judging is pure. Internal.
 */
#ifndef TW_CLOCK_HEALTH_H
#define TW_CLOCK_HEALTH_H

#include "clock.h"
#include "machine/other_clocks.h"
#include "machine/vmclock.h"

/* All that was seen, except the CPUs' counters. */
struct tw_health_seen {
	struct tw_clock_baseline now;
	int counter_is_clocksource;
	char clocksource[32];
	int64_t suspended_ns;		/* since boot */
	int vmclock_ret;		/* of tw_vmclock_read() */
	struct tw_vmclock vmclock;
	struct tw_independent independent;
	struct tw_independent independent_later;	/* some ms later */
};

/* Collect the facts. Return 0; -ENOMEM; -EIO as tw_clock_check(). */
int tw_health_see(const struct tw_clock *clock, struct tw_health_seen *seen);

/* Read the independent clock once more, some milliseconds later. */
void tw_health_see_later(struct tw_health_seen *seen);

/* Fill in all but the verdict and the members about the CPUs. Return 0; -EIO
 * when time stood still. */
int tw_health_judge(const struct tw_clock *clock,
		    const struct tw_health_seen *seen,
		    struct tw_clock_health *health);

#endif
