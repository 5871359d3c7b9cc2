/* SPDX-License-Identifier: MIT */
/*
 * Samples of CPUs whose counters have known offsets and rates, for the judge.
 *
 * Made ones: one true time advances by a random gap before each probe. A CPU's counter shows
 * that time, times its rate, plus its offset. Recorded ones: the second of two CPUs' counters
 * is moved by a known offset before the samples are judged.
 */
#ifndef TW_TESTS_ESTIMATE_SAMPLES_H
#define TW_TESTS_ESTIMATE_SAMPLES_H

#include "estimate/judge.h"
#include "tap.h"
#include "trust.h"

struct made {
	unsigned count;
	size_t room;
	uint64_t time_ticks;
	uint64_t sequence;
	uint64_t min_gap_ticks, max_gap_ticks;
	int64_t *offsets_ticks;
	double *rates_ppb;
	struct tw_cpu_samples *cpus;
	struct tw_sample **samples;
	struct tw_judge_work work;
	struct tw_judge_limits limits;	/* but for the tolerance */
	struct tw_reliability result;
	void *blocks[300];
	unsigned block_count;
};

static inline void *made_memory(struct made *made, size_t count, size_t size)
{
	void *memory = calloc(count ? count : 1, size);

	if (!memory)
		exit(1);
	return made->blocks[made->block_count++] = memory;
}

/* @room: samples per CPU. CPUs are numbered from 0. These counters show every tick. */
static inline void made_init(struct made *made, unsigned count, size_t room)
{
	size_t edges = (size_t)count * count;

	*made = (struct made) {
		.count = count, .room = room, .time_ticks = 1ULL << 40,
		.min_gap_ticks = 40, .max_gap_ticks = 400,
		.limits = { .least_switches = 100, .pace_limit_ppb = 1000,
			    .step_ticks = 1 },
	};
	made->offsets_ticks = made_memory(made, count, sizeof(int64_t));
	made->rates_ppb = made_memory(made, count, sizeof(double));
	made->cpus = made_memory(made, count, sizeof(*made->cpus));
	made->samples = made_memory(made, count, sizeof(*made->samples));
	if (tw_judge_work_init(&made->work, count))
		exit(1);
	made->result.offsets = made_memory(made, (edges - count) / 2,
					   sizeof(*made->result.offsets));
	for (unsigned i = 0; i < count; i++) {
		made->samples[i] = made_memory(made, room, sizeof(struct tw_sample));
		made->cpus[i].cpu = i;
		made->cpus[i].samples = made->samples[i];
	}
}

static inline void made_free(struct made *made)
{
	while (made->block_count)
		free(made->blocks[--made->block_count]);
	tw_judge_work_free(&made->work);
}

static inline void made_add(struct made *made, unsigned cpu, uint64_t ticks)
{
	struct tw_cpu_samples *to = &made->cpus[cpu];

	if (to->count == made->room)
		exit(1);
	made->samples[cpu][to->count++] = (struct tw_sample){
		.sequence = made->sequence++, .ticks = ticks,
	};
	to->probes++;
}

static inline uint64_t made_shows(const struct made *made, unsigned cpu)
{
	uint64_t since = made->time_ticks - (1ULL << 40);
	double drift = (double)since * made->rates_ppb[cpu] / 1e9;

	return made->time_ticks + (uint64_t)made->offsets_ticks[cpu] +
	       (uint64_t)(int64_t)drift;
}

/* Make @probes in all, each by a CPU chosen at random. */
static inline void made_probe(struct made *made, uint64_t probes, uint64_t *random)
{
	uint64_t gaps = made->max_gap_ticks - made->min_gap_ticks + 1;

	while (probes-- > 0) {
		unsigned cpu = (unsigned)(tap_random(random) >> 33) % made->count;

		made->time_ticks += made->min_gap_ticks +
				    (tap_random(random) >> 11) % gaps;
		made_add(made, cpu, made_shows(made, cpu));
	}
}

static inline void made_judge(struct made *made, int64_t tolerance_ticks)
{
	made->limits.tolerance_ticks = tolerance_ticks;
	tw_judge(&made->result, made->cpus, made->count, &made->limits, &made->work);
	tw_trust_cpus(&made->result);
}

/* ---- moved samples: those of made->cpus[0] and [1], which can be written ---- */

static inline void moved_by(struct made *made, int64_t ahead_ticks)
{
	const struct tw_cpu_samples *second = &made->cpus[1];

	for (size_t i = 0; i < second->count; i++)
		((struct tw_sample *)second->samples)[i].ticks += (uint64_t)ahead_ticks;
}

/* Judge with the second CPU's counter @ahead_ticks ahead. Return the pair. */
static inline struct tw_cpu_offset moved_judge(struct made *made, int64_t ahead_ticks)
{
	made->limits.pace_limit_ppb = 1e9;
	made->limits.step_ticks = tw_step_of_samples(made->cpus, 2);
	moved_by(made, ahead_ticks);
	made_judge(made, 100000000);
	moved_by(made, -ahead_ticks);
	return made->result.offsets[0];
}

/*
 * Count how many of @tries random offsets, up to @largest_ticks, are inside of the
 * interval of their samples. Without an offset the interval holds 0.
 */
static inline unsigned moved_holds(struct made *made, unsigned tries, int64_t largest_ticks,
				   uint64_t *random)
{
	unsigned held = 0;

	for (unsigned i = 0; i < tries; i++) {
		int64_t ahead_ticks = (int64_t)(tap_random(random) >> 11) %
				      (2 * largest_ticks + 1) - largest_ticks;
		struct tw_cpu_offset pair = moved_judge(made, ahead_ticks);

		held += pair.low_ticks < ahead_ticks && pair.high_ticks > ahead_ticks;
	}
	return held;
}

static inline int moved_is_found(struct made *made, int64_t ahead_ticks)
{
	moved_judge(made, ahead_ticks);
	return made->result.verdict == TW_UNRELIABLE &&
	       (made->result.reasons & TW_REASON_OFFSET);
}

/*
 * Return whether the width and one is found, to either side. The interval holds 0, so that
 * this distance is beyond its bounds wherever they lie.
 */
static inline int moved_width_is_found(struct made *made)
{
	struct tw_cpu_offset pair = moved_judge(made, 0);
	int64_t width_ticks = pair.high_ticks - pair.low_ticks;

	return moved_is_found(made, width_ticks + 1) && moved_is_found(made, -width_ticks - 1);
}

#endif
