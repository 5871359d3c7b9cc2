/* SPDX-License-Identifier: MIT */
/*
 * Judging a clock's health, apart from looking: pure, for tests.
 */
#ifndef TW_CLOCK_HEALTH_H
#define TW_CLOCK_HEALTH_H

#include "machine/vmclock.h"
#include "machine/independent.h"
#include "tickwise.h"

/* What tw_clock_check() saw. */
struct tw_health_seen {
	struct tw_clock_baseline now;
	int counter_is_clocksource;
	int64_t suspended_ns;		/* since boot */
	int cpus_ret;			/* of tw_reliability_measure() */
	const struct tw_reliability *cpus;
	int vmclock_ret;		/* of tw_vmclock_read() */
	struct tw_vmclock vmclock;
	struct tw_independent independent;
	struct tw_independent independent_later;	/* some ms */
};

/* Fills in all but the clocksource's name and the verdict. -EIO when time stood still. */
int tw_health_judge(const struct tw_clock *clock,
		    const struct tw_health_seen *seen,
		    struct tw_clock_health *health);

#endif
