/* SPDX-License-Identifier: MIT */
/*
 * The resolution of counters, from what was read of them: see step.h.
 *
 * Steps all alike divide every difference of two readings on one CPU, and the
 * largest such divisor is the step. Steps that are not, since a slow clock was
 * scaled to a round rate (24 MHz shown as 1 GHz goes on by 41 or 42), have none
 * in common. They are known by readings that show the same although time has
 * passed: then the smallest difference of all is one step, but for the one tick
 * by which it may have been rounded.
 */
#include "step.h"

struct seen {
	uint64_t divisor;	/* of all differences; 0: there was none */
	uint64_t smallest;	/* that is not 0 */
	int equal;		/* the counter was seen to wait */
};

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

static void look(struct seen *seen, const struct tw_cpu_samples *cpu)
{
	size_t i;

	for (i = 1; i < cpu->count; i++) {
		int64_t ticks = (int64_t)(cpu->samples[i].ticks -
					  cpu->samples[i - 1].ticks);
		uint64_t distance = ticks < 0 ? 0 - (uint64_t)ticks :
						(uint64_t)ticks;

		if (!distance) {
			seen->equal = 1;
			continue;
		}
		seen->divisor = common_divisor(distance, seen->divisor);
		if (distance < seen->smallest)
			seen->smallest = distance;
	}
}

uint64_t tw_step_of_samples(const struct tw_cpu_samples *cpus, unsigned count)
{
	struct seen seen = { .smallest = UINT64_MAX };
	unsigned i;

	for (i = 0; i < count; i++)
		look(&seen, &cpus[i]);
	if (!seen.divisor)
		return 1;
	if (seen.equal && seen.smallest > seen.divisor)
		return seen.smallest + 1;
	return seen.divisor;
}
