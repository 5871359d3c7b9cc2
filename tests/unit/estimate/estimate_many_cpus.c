/* SPDX-License-Identifier: MIT */
/*
 * 64 and 256 CPUs are judged at once, in all their pairs. Every interval holds the
 * truth, and bounds are combined over third CPUs where two rarely met. One CPU that
 * is off is found and is in every pair that is blamed.
 *
 * Fails if only pairs with the base are judged, or if combining goes wrong.
 * machine/estimate_judge_time shows how long it takes.
 */
#include "estimate_generate.h"

/* TURNS turns of each CPU, whatever the number of CPUs. */
#define TURNS	172

/*
 * In one of 130 orders of two CPUs, some 30 in all, a given other one of 64 CPUs
 * never has a turn within the 400 ticks before. With 256 that happens far more
 * often: only combined bounds are all that tight.
 */
static void try_offset(unsigned cpus, int64_t offset_ticks,
		       int64_t tolerance_ticks, uint64_t *random)
{
	struct made made;
	unsigned right = 0, blamed = 0, innocent = 0;
	unsigned i;

	made_init(&made, cpus, 2 * TURNS);
	made.offsets_ticks[17] = offset_ticks;
	made_probe(&made, (uint64_t)cpus * TURNS, random);
	made_judge(&made, tolerance_ticks);
	for (i = 0; i < made.result.pairs; i++) {
		const struct tw_cpu_offset *pair = &made.result.offsets[i];
		int64_t truth_ticks = made.offsets_ticks[pair->cpu] -
				      made.offsets_ticks[pair->base_cpu];

		right += pair->low_ticks <= truth_ticks &&
			 pair->high_ticks >= truth_ticks;
		if (pair->low_ticks <= 0 && pair->high_ticks >= 0)
			continue;
		if (pair->cpu == 17 || pair->base_cpu == 17)
			blamed++;
		else
			innocent++;
	}
	tap_is_u64(right, cpus * (cpus - 1) / 2, "pairs that hold the truth");
	tap_is_u64(blamed, offset_ticks ? cpus - 1 : 0, "pairs blamed");
	tap_is_u64(innocent, 0, "pairs blamed wrongly");
	tap_ok(made.result.verdict == (offset_ticks ? TW_UNRELIABLE :
						      TW_RELIABLE),
	       "%" PRId64 " ticks off: %s", offset_ticks,
	       tw_name(TW_ENUM_VERDICT, made.result.verdict));
	made_free(&made);
}

int main(void)
{
	uint64_t random = tap_seed();

	try_offset(64, 0, 400, &random);
	try_offset(64, 50000, 400, &random);
	try_offset(64, -50000, 400, &random);
	try_offset(256, 0, 800, &random);
	try_offset(256, 200000, 800, &random);
	return tap_done();
}
