/* SPDX-License-Identifier: MIT */
/*
 * Two CPUs that never took turns with each other are bounded through a third, by
 * the sum of both bounds, but not through one whose counter moved in between.
 *
 * Fails if only one of the two bounds is taken, which is too tight, or if CPUs are
 * bounded by nothing but their own turns. Fails also if bounds of before and after
 * a jump are added, which blames CPUs that agree or clears the one that jumped.
 */
#include "estimate_generate.h"

/*
 * CPU 0 takes turns with CPU 1, 50 ticks apart, then with CPU 2, 70 apart. Each
 * reading is good to a tick, both ways.
 */
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
	       pair->low_ticks == -122 && pair->high_ticks == 122,
	       "CPU 2 ahead of CPU 1 by -122 to 122 ticks");
	tap_ok(made.result.verdict == should, "wanted %" PRId64 ": %s",
	       tolerance_ticks, tw_name(TW_ENUM_VERDICT, should));
	made_free(&made);
}

/*
 * CPU 0, CPU 2, CPU 1, CPU 2, 50 ticks apart: CPUs 0 and 1 never follow each other
 * within 100. In the middle CPU 2 goes back by 1000: through CPU 2, CPU 1 would be
 * less than 102 - 1000 ahead of CPU 0.
 */
static void try_jump(void)
{
	static const unsigned turns[] = { 0, 2, 1, 2 };
	const struct tw_cpu_offset *pair;
	struct made made;
	unsigned i;

	made_init(&made, 3, 1200);
	for (i = 0; i < 1200; i++) {
		unsigned cpu = turns[i % 4];

		made.time_ticks += 50;
		made_add(&made, cpu, made.time_ticks -
			 (cpu == 2 && i >= 600 ? 1000 : 0));
	}
	made_judge(&made, 60);
	pair = &made.result.offsets[0];
	tap_ok(pair->base_cpu == 0 && pair->cpu == 1 &&
	       pair->low_ticks == -101 && pair->high_ticks == 101,
	       "a third CPU that jumped bounds nobody");
	pair = &made.result.offsets[1];
	tap_ok(pair->cpu == 2 && pair->low_ticks < -1000 &&
	       pair->high_ticks > 0 &&
	       (made.result.reasons & TW_REASON_OFFSET) &&
	       made.result.verdict == TW_UNRELIABLE,
	       "is found, and nobody's bounds take its own away");
	made_free(&made);
}

int main(void)
{
	try_tolerance(122, TW_RELIABLE);
	try_tolerance(121, TW_UNDECIDED);
	try_jump();
	return tap_done();
}
