/* SPDX-License-Identifier: MIT */
/*
 * Finds the counters' step in recorded probes. Only readings of one CPU are
 * compared, because those of two CPUs also differ by their offset. If a reading
 * is below the one before it, the difference wraps to a large number, which is
 * left out.
 */
#include "step.h"

#include "counter/step.h"

double tw_step_of_samples(const struct tw_cpu_samples *cpus, unsigned count)
{
	struct tw_steps steps = { { 0 } };
	unsigned cpu;
	size_t i;

	for (cpu = 0; cpu < count; cpu++)
		for (i = 1; i < cpus[cpu].count; i++)
			tw_steps_add(&steps, cpus[cpu].samples[i].ticks -
					     cpus[cpu].samples[i - 1].ticks);
	return tw_steps_find(&steps);
}
