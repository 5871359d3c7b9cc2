/* SPDX-License-Identifier: MIT */
/*
 * Replaces the comparison of the CPUs' counters, for tests of what is made of its
 * result.
 */
#ifndef TW_TESTS_NO_ESTIMATE_H
#define TW_TESTS_NO_ESTIMATE_H

#include "estimate/probe.h"

/* The result of comparing the CPUs. */
static struct tw_reliability compared;

int tw_estimate(struct tw_reliability *result,
		const struct tw_reliability_options *options,
		const struct tw_probe_system *system)
{
	(void)options;
	(void)system;
	*result = compared;
	return 0;
}

void tw_reliability_free(struct tw_reliability *result)
{
	(void)result;
}

#endif
