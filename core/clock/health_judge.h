/* SPDX-License-Identifier: MIT */
/*
 * Judging each check of a clock's health. Internal; pure.
 */
#ifndef TW_CLOCK_HEALTH_JUDGE_H
#define TW_CLOCK_HEALTH_JUDGE_H

#include "health.h"

/* Fill in all but the verdict and the members about the CPUs. Return 0; -EIO
 * when time stood still. */
int tw_health_judge(const struct tw_clock *clock,
		    const struct tw_health_seen *seen,
		    struct tw_clock_health *health);

#endif
