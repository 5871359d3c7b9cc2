/* SPDX-License-Identifier: MIT */
/*
 * The counters' step from recorded probes. Internal.
 */
#ifndef TW_ESTIMATE_STEP_H
#define TW_ESTIMATE_STEP_H

#include "samples.h"

/**
 * tw_step_of_samples - the counters' resolution, as far as it was seen
 * @cpus: their samples
 * @count: how many CPUs
 *
 * Return: in ticks, as tw_steps_find(). Pure.
 */
double tw_step_of_samples(const struct tw_cpu_samples *cpus, unsigned count);

#endif
