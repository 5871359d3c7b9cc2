/* SPDX-License-Identifier: MIT */
/*
 * By how many ticks a counter moves at a time. Internal.
 *
 * A tick need not be the counter's resolution: one that is driven by a slower
 * clock goes on by several at once, and nothing finer can be read from it.
 */
#ifndef TW_ESTIMATE_STEP_H
#define TW_ESTIMATE_STEP_H

#include "samples.h"

/**
 * tw_step_of_samples - the counters' resolution, as far as it was seen
 * @cpus: their samples
 * @count: how many CPUs
 *
 * Return: in ticks, 1 and more. Too large, never too small, where few samples
 * happen to have a divisor in common: of 16 of them that is one case in 65000.
 * Pure.
 */
uint64_t tw_step_of_samples(const struct tw_cpu_samples *cpus, unsigned count);

#endif
