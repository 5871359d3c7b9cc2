/* SPDX-License-Identifier: MIT */
/*
 * Looking at the machine for trust.c, where it is no public function. Internal.
 */
#ifndef TW_TRUST_MEASURE_H
#define TW_TRUST_MEASURE_H

#include "estimate/probe.h"
#include "tickwise.h"
#include "trust.h"

/**
 * tw_trust_compare - compare the CPUs' counters on the way to something else
 * @moment: decides for how long, and how often again while it is undecided
 * @hz: ticks per second; 0: a short look at the clock
 *
 * Return: 0; as tw_reliability_measure() when it could not be done once.
 */
int tw_trust_compare(enum tw_trust_moment moment, double hz,
		     struct tw_trust_compared *compared);

/* tw_reliability_measure() with the part of the system that can fail passed in,
 * for tests. */
int tw_reliability_measure_on(struct tw_reliability *result,
			      const struct tw_reliability_options *options,
			      const struct tw_probe_system *system);

/* As tw_clock_check(), but without the CPUs' counters (TW_HEALTH_NOT_RUN): makes
 * no threads. */
int tw_clock_look(const struct tw_clock *clock, struct tw_clock_health *health);

#endif
