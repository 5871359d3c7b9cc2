/* SPDX-License-Identifier: MIT */
/*
 * 64 CPUs are judged at once, all 2016 pairs: every interval holds the truth,
 * bounds are combined over third CPUs where two rarely met, and one CPU that
 * is off is found and is in every pair that is blamed.
 *
 * Fails when only pairs with the base are judged, when combining goes wrong,
 * or when the judge's time grows with the square of the samples.
 */
#include "estimate_generate.h"

#define CPUS	64
#define PROBES	11000

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void try_offset(int64_t offset_ticks, uint64_t *random)
{
	struct made made;
	unsigned right = 0, blamed = 0, innocent = 0;
	unsigned i;

	made_init(&made, CPUS, PROBES);
	made.offsets_ticks[17] = offset_ticks;
	made_probe(&made, PROBES, random);
	/* Each CPU has some 172 turns. That a given other one was at its turn
	 * within the 400 ticks before never happens in one of 130 orders of
	 * two, some 30 in all: only combined bounds are all that tight. */
	made_judge(&made, 400);
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
	tap_is_u64(right, CPUS * (CPUS - 1) / 2, "pairs that hold the truth");
	tap_is_u64(blamed, offset_ticks ? CPUS - 1 : 0, "pairs blamed");
	tap_is_u64(innocent, 0, "pairs blamed wrongly");
	tap_ok(made.result.verdict == (offset_ticks ? TW_UNRELIABLE :
						      TW_RELIABLE),
	       "%" PRId64 " ticks off: %s", offset_ticks,
	       tw_verdict_name(made.result.verdict));
	made_free(&made);
}

int main(void)
{
	uint64_t random = tap_seed();
	double begin = seconds();

	try_offset(0, &random);
	try_offset(50000, &random);
	try_offset(-50000, &random);
	/* 11000 * 64 steps and 64^3 more: some 5 ms each on a slow machine,
	 * 50 times that under sanitizers. */
	tap_ok(seconds() - begin < 2, "and in no time");
	return tap_done();
}
