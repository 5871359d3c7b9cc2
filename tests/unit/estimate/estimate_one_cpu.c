/* SPDX-License-Identifier: MIT */
/*
 * A single CPU is reliable if its counter advances and never runs backwards. The
 * result tells that there was nothing to compare with.
 *
 * Fails if no pairs count as too few, or give a range that overflows.
 */
#include "estimate_generate.h"

int main(void)
{
	uint64_t random = tap_seed();
	struct made made;

	made_init(&made, 1, 1000);
	made_probe(&made, 1000, &random);
	made_judge(&made, 1000);
	tap_ok(made.result.verdict == TW_RELIABLE, "reliable");
	tap_ok(made.result.reasons == TW_REASON_ONE_CPU,
	       "the only reason is that there is one CPU");
	tap_ok(made.result.pairs == 0 && made.result.offset_low_ticks == 0 &&
	       made.result.offset_high_ticks == 0, "no pairs, no range");
	tap_ok(made.result.full_loops == 0, "no loops over others");

	made.samples[0][500].ticks = made.samples[0][499].ticks - 1;
	made_judge(&made, 1000);
	tap_ok(made.result.verdict == TW_UNRELIABLE &&
	       (made.result.reasons & TW_REASON_BACKWARDS),
	       "unreliable once it ran backwards");
	made_free(&made);
	return tap_done();
}
