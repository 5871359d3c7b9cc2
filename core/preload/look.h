/* SPDX-License-Identifier: MIT */
/*
 * Examining the counter once, before main(): the facts by which core/trust.c
 * decides.
 */
#ifndef TW_PRELOAD_LOOK_H
#define TW_PRELOAD_LOOK_H

#include <stddef.h>

/**
 * tw_preload_trust - examine the counter, and measure how fast it runs
 * @measure: also compare the CPUs' counters, some 10 ms
 * @ns_per_tick: set to that of CLOCK_MONOTONIC_RAW
 * @why_not: set to the reason, one clause
 *
 * The CPUs are compared in a child, which makes threads, so this process makes
 * none.
 *
 * Return: 1 if the preload clock may use the counter, otherwise 0.
 */
int tw_preload_trust(int measure, double *ns_per_tick, char *why_not,
		     size_t size);

#endif
