/* SPDX-License-Identifier: MIT */
/*
 * CPUs without samples, or with a single one, or that never took turns at the same
 * time, leave the verdict open.
 *
 * Fails if the merge reads past the end of an empty list (under AddressSanitizer).
 * Fails also if a missing bound counts as a good one, or is added to when bounds
 * are combined.
 */
#include "estimate_generate.h"

static void try_nothing(unsigned count)
{
	struct made made;

	made_init(&made, count, 1);
	made_judge(&made, 1000);
	tap_ok(made.result.verdict == TW_UNDECIDED &&
	       (made.result.reasons & TW_REASON_STATISTICS),
	       "%u CPUs without samples: undecided", count);
	made_free(&made);
}

static void try_one_silent(uint64_t *random)
{
	struct made made;

	made_init(&made, 2, 2000);
	made_probe(&made, 1000, random);
	made.cpus[1].count = 0;
	made_judge(&made, 1000);
	tap_ok(made.result.verdict == TW_UNDECIDED,
	       "one of two CPUs without samples: undecided");
	tap_ok(made.result.offsets[0].low_ticks == -INT64_MAX &&
	       made.result.offsets[0].high_ticks == INT64_MAX,
	       "and no bound is made up");
	made_free(&made);
}

static void try_one_sample_each(void)
{
	struct made made;

	made_init(&made, 2, 1);
	made_add(&made, 0, 1000);
	made_add(&made, 1, 1100);
	made_judge(&made, 1000);
	tap_ok(made.result.verdict == TW_UNDECIDED,
	       "one sample each: undecided");
	tap_ok(made.result.offsets[0].low_ticks == -INT64_MAX &&
	       made.result.offsets[0].high_ticks == 101,
	       "and only the one bound there is");
	made_free(&made);
}

/* Two CPUs take turns, and after them two others. */
static void try_strangers(void)
{
	struct made made;
	unsigned i;

	made_init(&made, 4, 200);
	for (i = 0; i < 800; i++) {
		made.time_ticks += 50;
		made_add(&made, i % 2 + (i < 400 ? 0 : 2), made.time_ticks);
	}
	made_judge(&made, 1000);
	tap_ok(made.result.verdict == TW_UNDECIDED &&
	       (made.result.reasons & TW_REASON_STATISTICS),
	       "two pairs that never met: undecided");
	made_free(&made);
}

int main(void)
{
	uint64_t random = tap_seed();

	try_nothing(1);
	try_nothing(2);
	try_nothing(5);
	try_one_silent(&random);
	try_one_sample_each();
	try_strangers();
	return tap_done();
}
