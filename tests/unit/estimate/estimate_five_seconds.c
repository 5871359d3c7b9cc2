/* SPDX-License-Identifier: MIT */
/*
 * Two CPUs whose counters are five seconds apart are reported as five seconds
 * apart, in either direction.
 *
 * Fails if the enclosing range leaves out the base CPU's own 0: then only the width
 * of the interval remains, some hundred ticks.
 */
#include "estimate_generate.h"

#define FIVE_SECONDS_TICKS	(5 * INT64_C(2600000000))

static void try_offset(int64_t offset_ticks, uint64_t *random)
{
	struct made made;
	int64_t width_ticks;

	made_init(&made, 2, 2000);
	/* The counter that is behind has not been at 0 before. */
	made.time_ticks += UINT64_C(1) << 41;
	made.offsets_ticks[1] = offset_ticks;
	made_probe(&made, 2000, random);
	made_judge(&made, 1300);
	width_ticks = made.result.offset_high_ticks -
		      made.result.offset_low_ticks;
	tap_ok(width_ticks >= FIVE_SECONDS_TICKS &&
	       width_ticks <= FIVE_SECONDS_TICKS + 400,
	       "%+" PRId64 " ticks: the range is all of it", offset_ticks);
	tap_ok(made.result.offset_low_ticks <= 0 &&
	       made.result.offset_high_ticks >= 0, "and holds the base's 0");
	tap_ok(made.result.verdict == TW_UNRELIABLE, "and is unreliable");
	made_free(&made);
}

int main(void)
{
	uint64_t random = tap_seed();

	try_offset(FIVE_SECONDS_TICKS, &random);
	try_offset(-FIVE_SECONDS_TICKS, &random);
	return tap_done();
}
