/* SPDX-License-Identifier: MIT */
/*
 * What the checks of a clock's health mean, each by itself. Inside the library;
 * pure.
 */
#ifndef TW_CLOCK_HEALTH_JUDGE_H
#define TW_CLOCK_HEALTH_JUDGE_H

#include "health.h"

/* Fills in all but the verdict and what is of the CPUs. -EIO when time stood
 * still. */
int tw_health_judge(const struct tw_clock *clock,
		    const struct tw_health_seen *seen,
		    struct tw_clock_health *health);

#endif
