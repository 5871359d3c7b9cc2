/* SPDX-License-Identifier: MIT */
/*
 * The interval of every pair holds the true offset, is no wider than the gaps
 * between probes allow, and decides the verdict.
 *
 * Fails if a bound is taken from the wrong one of two readings (its sign, or the
 * reading before a turn for the one at its end). Fails also if a pair without the
 * base is computed from the base's, or if the verdict is not that of the intervals.
 */
#include "estimate_generate.h"

#define CPUS	3

/*
 * With gaps of at least 40 ticks neither bound can be nearer to the truth than 40.
 * Of 3000 probes of 3 CPUs some 330 follow one given CPU on one given other at
 * once, with gaps evenly over 40 to 400. The smallest misses 100 in one of
 * (300/361)^-330 = 10^26 runs.
 */
static int is_tight(const struct tw_cpu_offset *pair, int64_t truth_ticks)
{
	return pair->low_ticks <= truth_ticks - 40 &&
	       pair->low_ticks >= truth_ticks - 100 &&
	       pair->high_ticks >= truth_ticks + 40 &&
	       pair->high_ticks <= truth_ticks + 100;
}

static int judged_right(const int64_t *offsets_ticks, uint64_t *random)
{
	struct made made;
	int64_t largest_ticks = 0;
	int right = 1;
	unsigned i;

	made_init(&made, CPUS, 3000);
	memcpy(made.offsets_ticks, offsets_ticks, CPUS * sizeof(int64_t));
	made_probe(&made, 3000, random);
	made_judge(&made, 1000);
	for (i = 0; i < made.result.pairs; i++) {
		const struct tw_cpu_offset *pair = &made.result.offsets[i];
		int64_t truth_ticks = offsets_ticks[pair->cpu] -
				      offsets_ticks[pair->base_cpu];

		right &= is_tight(pair, truth_ticks);
		if (llabs(truth_ticks) > largest_ticks)
			largest_ticks = llabs(truth_ticks);
	}
	right &= made.result.pairs == 3;
	/* Below 40 ticks nothing can be proven, from 100 on all must be. */
	if (largest_ticks < 40)
		right &= made.result.verdict == TW_RELIABLE;
	if (largest_ticks > 100)
		right &= made.result.verdict == TW_UNRELIABLE &&
			 (made.result.reasons & TW_REASON_OFFSET);
	made_free(&made);
	return right;
}

int main(void)
{
	static const int64_t tried_ticks[] = {
		0, 1, -1, 30, -30, 150, -150, 500, -500, 2000, -2000,
	};
	enum { TRIED = sizeof(tried_ticks) / sizeof(tried_ticks[0]) };
	uint64_t random = tap_seed();
	unsigned i;

	for (i = 0; i < TRIED; i++) {
		int64_t one[CPUS] = { 0, tried_ticks[i], 0 };
		int64_t two[CPUS] = { 0, tried_ticks[i],
				      tried_ticks[TRIED - 1 - i] };

		tap_ok(judged_right(one, &random),
		       "one CPU %+" PRId64 " ticks off", one[1]);
		tap_ok(judged_right(two, &random), "two CPUs %+" PRId64
		       " and %+" PRId64 " ticks off", two[1], two[2]);
	}
	return tap_done();
}
