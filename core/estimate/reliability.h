/* SPDX-License-Identifier: MIT */
/*
 * Comparing the counters of the allowed CPUs. Internal: callers of the library use
 * tw_reliability_measure().
 */
#ifndef TW_ESTIMATE_RELIABILITY_H
#define TW_ESTIMATE_RELIABILITY_H

#include "probe.h"
#include "tickwise.h"

/* Find how far the counters are apart, and the reasons that follow. All of @result but
 * the verdict is set; release it with tw_reliability_free(). @options: complete, see
 * tw_trust_options(). @system: NULL: the real one. The counter must be readable.
 * Return: as tw_reliability_measure(). */
int tw_estimate(struct tw_reliability *result,
		const struct tw_reliability_options *options,
		const struct tw_probe_system *system);

#endif
