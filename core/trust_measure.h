/* SPDX-License-Identifier: MIT */
/*
 * Measures for trust.c, where no public function does it. Internal.
 */
#ifndef TW_TRUST_MEASURE_H
#define TW_TRUST_MEASURE_H

#include "estimate/probe.h"
#include "tickwise.h"
#include "trust.h"

/**
 * tw_trust_compare - compare the CPUs' counters as a part of something else
 * @moment: decides for how long, and how often again while it is undecided
 * @hz: ticks per second; 0: measured in a short time
 *
 * Return: 0; as tw_reliability_measure() if not even one comparison was possible.
 */
int tw_trust_compare(enum tw_trust_moment moment, double hz,
		     struct tw_trust_compared *compared);

/* Do what tw_reliability_measure() does, with the part of the system that can fail
 * passed in. For tests. */
int tw_reliability_measure_on(struct tw_reliability *result,
			      const struct tw_reliability_options *options,
			      const struct tw_probe_system *system);

/* Check a clock as tw_clock_check(), but without the CPUs' counters
 * (TW_HEALTH_NOT_RUN), so that no thread is made. */
int tw_clock_look(const struct tw_clock *clock, struct tw_clock_health *health);

#endif
