/* SPDX-License-Identifier: MIT */
/*
 * The facts that a clock's health is judged by. Internal.
 */
#ifndef TW_CLOCK_HEALTH_H
#define TW_CLOCK_HEALTH_H

#include "clock.h"
#include "machine/independent.h"
#include "machine/vmclock.h"
#include "tickwise.h"

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

#endif
