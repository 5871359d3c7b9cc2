/* SPDX-License-Identifier: MIT */
/*
 * Finds the counters' step in recorded probes. Internal.
 */
#ifndef TW_ESTIMATE_STEP_H
#define TW_ESTIMATE_STEP_H

#include "samples.h"

/**
 * tw_step_of_samples - find the counters' step, as far as the samples show it
 * @cpus: their samples
 * @count: how many CPUs
 *
 * Return: the step in ticks, as tw_steps_find(). Pure.
 */
double tw_step_of_samples(const struct tw_cpu_samples *cpus, unsigned count);

#endif
