/* SPDX-License-Identifier: MIT */
/*
 * Samples of two CPUs' counters, recorded or made. The second CPU's counter is
 * moved by a known offset before the samples are judged.
 */
#ifndef TW_TESTS_ESTIMATE_RECORDING_H
#define TW_TESTS_ESTIMATE_RECORDING_H

#include <stdlib.h>

#include "estimate/judge.h"
#include "tap.h"
#include "trust.h"

/* The samples can be written. */
struct recording {
	struct tw_cpu_samples cpus[2];
};

static void recording_move(struct recording *recording, int64_t ahead_ticks)
{
	const struct tw_cpu_samples *second = &recording->cpus[1];

	for (size_t i = 0; i < second->count; i++)
		((struct tw_sample *)second->samples)[i].ticks += (uint64_t)ahead_ticks;
}

/* Judge @recording with the second CPU's counter @ahead_ticks ahead. */
static struct tw_reliability recording_judge(struct recording *recording,
					     int64_t ahead_ticks,
					     struct tw_cpu_offset *pair)
{
	struct tw_judge_work work;
	struct tw_judge_limits limits = {
		.tolerance_ticks = 100000000,
		.least_switches = 100,
		.pace_limit_ppb = 1e9,
	};
	struct tw_reliability result = { .offsets = pair };

	recording_move(recording, ahead_ticks);
	limits.step_ticks = tw_step_of_samples(recording->cpus, 2);
	if (tw_judge_work_init(&work, 2))
		exit(1);
	tw_judge(&result, recording->cpus, 2, &limits, &work);
	recording_move(recording, -ahead_ticks);
	tw_judge_work_free(&work);
	tw_trust_cpus(&result);
	return result;
}

/*
 * Count how many of @tries random offsets, up to @largest_ticks, are inside of the
 * interval of their samples. Without an offset the interval holds 0.
 */
static unsigned recording_holds(struct recording *recording, unsigned tries,
				int64_t largest_ticks, uint64_t *random)
{
	unsigned held = 0;

	for (unsigned i = 0; i < tries; i++) {
		int64_t ahead_ticks = (int64_t)(tap_random(random) >> 11) %
				      (2 * largest_ticks + 1) - largest_ticks;
		struct tw_cpu_offset pair;

		recording_judge(recording, ahead_ticks, &pair);
		held += pair.low_ticks < ahead_ticks &&
			pair.high_ticks > ahead_ticks;
	}
	return held;
}

static int recording_finds(struct recording *recording, int64_t ahead_ticks)
{
	struct tw_cpu_offset pair;
	struct tw_reliability result = recording_judge(recording, ahead_ticks,
						       &pair);

	return result.verdict == TW_UNRELIABLE &&
	       (result.reasons & TW_REASON_OFFSET);
}

/*
 * Return the width and one, to either side. The interval holds 0, so that this
 * distance is beyond its bounds wherever they lie.
 */
static inline int recording_finds_width(struct recording *recording)
{
	struct tw_cpu_offset pair;
	int64_t width_ticks;

	recording_judge(recording, 0, &pair);
	width_ticks = pair.high_ticks - pair.low_ticks;
	return recording_finds(recording, width_ticks + 1) &&
	       recording_finds(recording, -width_ticks - 1);
}

#endif
