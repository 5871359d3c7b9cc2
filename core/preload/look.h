/* SPDX-License-Identifier: MIT */
/*
 * Looking at the counter once, before main(), for what core/trust.c decides by.
 */
#ifndef TW_PRELOAD_LOOK_H
#define TW_PRELOAD_LOOK_H

#include <stddef.h>

/**
 * tw_preload_trust - look at the counter, and at how fast it runs
 * @measure: also compare the CPUs' counters, some 10 ms
 * @ns_per_tick: set to CLOCK_MONOTONIC_RAW's
 * @why_not: set to the reason, one clause
 *
 * CPUs are compared in a child: it has threads, this process has none.
 *
 * Return: 1 it may, 0 it may not.
 */
int tw_preload_trust(int measure, double *ns_per_tick, char *why_not,
		     size_t size);

#endif
