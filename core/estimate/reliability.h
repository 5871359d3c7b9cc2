/* SPDX-License-Identifier: MIT */
/*
 * tw_reliability_measure() with the fallible part of the system passed in.
 * Internal, for tests.
 */
#ifndef TW_ESTIMATE_RELIABILITY_H
#define TW_ESTIMATE_RELIABILITY_H

#include "probe.h"
#include "tickwise.h"

int tw_reliability_measure_on(struct tw_reliability *result,
			      const struct tw_reliability_options *options,
			      const struct tw_probe_system *system);

#endif
