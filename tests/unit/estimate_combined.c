/* SPDX-License-Identifier: MIT */
/*
 * Two CPUs that never took turns with each other are bounded through a third,
 * by the sum of what both are bounded by.
 *
 * Fails when only one of the two bounds is taken, which is too tight, or when
 * CPUs are bounded by nothing but their own turns.
 */
#include "estimate_generate.h"

/* CPU 0 by turns with CPU 1, 50 ticks apart, then with CPU 2, 70 apart. */
static void try_tolerance(int64_t tolerance_ticks, enum tw_verdict should)
{
	struct made made;
	const struct tw_cpu_offset *pair;
	unsigned i;

	made_init(&made, 3, 600);
	for (i = 0; i < 600; i++) {
		made.time_ticks += i < 300 ? 50 : 70;
		made_add(&made, i % 2 ? i < 300 ? 1 : 2 : 0, made.time_ticks);
	}
	made_judge(&made, tolerance_ticks);
	pair = &made.result.offsets[2];
	tap_ok(pair->base_cpu == 1 && pair->cpu == 2 &&
	       pair->low_ticks == -120 && pair->high_ticks == 120,
	       "CPU 2 ahead of CPU 1 by -120 to 120 ticks");
	tap_ok(made.result.verdict == should, "wanted %" PRId64 ": %s",
	       tolerance_ticks, tw_verdict_name(should));
	made_free(&made);
}

int main(void)
{
	try_tolerance(120, TW_RELIABLE);
	try_tolerance(119, TW_UNDECIDED);
	return tap_done();
}
