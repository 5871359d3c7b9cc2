/* SPDX-License-Identifier: MIT */
/*
 * 64 and 256 CPUs are judged at once, all their pairs: every interval holds
 * the truth, bounds are combined over third CPUs where two rarely met, and one CPU
 * that is off is found and is in every pair that is blamed.
 *
 * Fails when only pairs with the base are judged, when combining goes wrong,
 * or when the judge's time grows with the square of the samples.
 */
#include "estimate_generate.h"

/* So many turns of each CPU, whatever their number. */
#define TURNS	172

/* A second where the yardstick takes 33 ms; by it, so that a slow machine, or
 * one that is emulated, has longer. Under sanitizers, which slow down accesses
 * and not arithmetic, an order of magnitude more. */
#define YARDSTICK_STEPS	20000000
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define LIMIT_YARDSTICKS	600
#else
#define LIMIT_YARDSTICKS	30
#endif

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static double yardstick_seconds(void)
{
	volatile uint64_t result;
	uint64_t value = 1, i;
	double begin = seconds();

	for (i = 0; i < YARDSTICK_STEPS; i++)
		value = (value ^ (value >> 7)) * 0x9e3779b97f4a7c15;
	result = value;
	(void)result;
	return seconds() - begin;
}

/*
 * That a given other one of 64 CPUs was at its turn within the 400 ticks before
 * never happens in one of 130 orders of two, some 30 in all, and of 256 far more
 * often: only combined bounds are all that tight.
 */
static void try_offset(unsigned cpus, int64_t offset_ticks,
		       int64_t tolerance_ticks, uint64_t *random)
{
	struct made made;
	unsigned right = 0, blamed = 0, innocent = 0;
	double limit = LIMIT_YARDSTICKS * yardstick_seconds();
	double begin, took;
	unsigned i;

	made_init(&made, cpus, 2 * TURNS);
	made.offsets_ticks[17] = offset_ticks;
	made_probe(&made, (uint64_t)cpus * TURNS, random);
	begin = seconds();
	made_judge(&made, tolerance_ticks);
	took = seconds() - begin;
	/* TURNS * cpus * cpus steps and cpus^3 more. */
	tap_ok(took < limit, "%u CPUs judged in %.3f s, limit %.2f s", cpus,
	       took, limit);
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
	       tw_verdict_name(made.result.verdict));
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
