/* SPDX-License-Identifier: MIT */
/*
 * Looking at the machine for trust.c, where it is no public function. Internal.
 */
#ifndef TW_TRUST_MEASURE_H
#define TW_TRUST_MEASURE_H

#include "tickwise.h"

/* As tw_clock_check(), but without the CPUs' counters (TW_HEALTH_NOT_RUN): makes
 * no threads. */
int tw_clock_look(const struct tw_clock *clock, struct tw_clock_health *health);

#endif
