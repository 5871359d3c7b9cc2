/* SPDX-License-Identifier: MIT */
/*
 * In samples of two CPUs, the second is moved by a known offset. The interval holds
 * the offset every time. An offset larger than the interval's width is always
 * found. So is one that reaches the interval's bound, but not one that is a tick
 * short of it. So the bounds are hard, and nothing is assumed of where between them
 * the truth lies: one direction of an exchange may take longer than the other.
 *
 * The samples are those of a recorded machine (tests/recordings/README.md), idle
 * and with busy loops. estimate_judge.c has exchanges of which one direction is slower,
 * and counters that show steps.
 *
 * Fails if a bound is not that of the readings: a bound that is too tight is
 * narrower than two readings can follow each other. Fails if one of the two
 * directions is bounded worse than the other. Fails also if the middle of the
 * interval is taken for the truth, or if offsets are found by backward readings
 * alone.
 */
#include <math.h>
#include <stdio.h>

#include "estimate_samples.h"

#define LARGEST_TICKS	2000
#define TRIES		25	/* random offsets for each recording */
#define RECORDINGS	"tests/recordings/amd-zen3-kvm/"

/* Read one CPU's samples, whose ticks begin at @ticks. Return 0 at the end of the file. */
static int read_cpu(FILE *file, struct tw_cpu_samples *cpu, uint64_t ticks)
{
	uint64_t sequence = 0, sequences, more;
	struct tw_sample *samples;

	if (fscanf(file, " cpu %u %zu", &cpu->cpu, &cpu->count) != 2)
		return 0;
	samples = calloc(cpu->count + 1, sizeof(*samples));
	for (size_t i = 0; i < cpu->count; i++) {
		if (fscanf(file, "%" SCNu64 " %" SCNu64, &sequences, &more) != 2)
			exit(1);
		sequence += sequences;
		ticks += more;
		samples[i] = (struct tw_sample){ sequence, ticks };
	}
	cpu->samples = samples;
	cpu->probes = cpu->count;
	return 1;
}

/* Return how fast two readings followed each other on one CPU. */
static int64_t min_distance_ticks(const struct tw_cpu_samples *cpu)
{
	int64_t least = INT64_MAX;

	for (size_t i = 1; i < cpu->count; i++) {
		const struct tw_sample *now = &cpu->samples[i];
		int64_t distance = (int64_t)(now->ticks - now[-1].ticks);

		if (now->sequence == now[-1].sequence + 1 && distance < least)
			least = distance;
	}
	return least;
}

static void try_recorded(const char *name, uint64_t *random)
{
	unsigned all = 0, held = 0, possible = 0, widths = 0, bounds = 0, short_of = 0,
		 steps = 0;
	double low_ticks = 0, high_ticks = 0;
	struct made made;
	char command[200];
	FILE *file;

	made_init(&made, 2, 0);
	snprintf(command, sizeof(command), "xz -dc " RECORDINGS "%s.txt.xz", name);
	file = popen(command, "r");
	/* Both CPUs count from the first one's first reading. */
	while (file && read_cpu(file, &made.cpus[0], 0) &&
	       read_cpu(file, &made.cpus[1], made.cpus[0].samples[0].ticks)) {
		int64_t one = min_distance_ticks(&made.cpus[0]);
		int64_t two = min_distance_ticks(&made.cpus[1]);
		struct tw_cpu_offset pair = moved_judge(&made, 0);

		all++;
		steps += fabs(made.limits.step_ticks - 24.5) < 0.1;
		low_ticks += (double)pair.low_ticks;
		high_ticks += (double)pair.high_ticks;
		held += moved_holds(&made, TRIES, LARGEST_TICKS, random);
		possible += pair.high_ticks - pair.low_ticks >= 2 * (one < two ? one : two);
		widths += (unsigned)moved_width_is_found(&made);
		bounds += moved_is_found(&made, -pair.low_ticks) &&
			  moved_is_found(&made, -pair.high_ticks);
		short_of += !moved_is_found(&made, -pair.low_ticks - 1) &&
			    !moved_is_found(&made, -pair.high_ticks + 1);
		free((void *)made.cpus[0].samples);
		free((void *)made.cpus[1].samples);
	}
	tap_is_u64(file && pclose(file) == 0 ? all : 0, 15, name);
	tap_note("the intervals are %.0f to %.0f ticks", low_ticks / all, high_ticks / all);
	tap_is_u64(steps, all, "times the counter's step of 24.5 ticks");
	tap_is_u64(held, TRIES * all, "intervals that hold the offset");
	tap_is_u64(possible, all, "no narrower than readings are fast");
	tap_is_u64(widths, all, "offsets of the width found, both ways");
	tap_is_u64(bounds, all, "and those at the bounds");
	tap_is_u64(short_of, all, "and none that is a tick short of it");
	made_free(&made);
}

int main(void)
{
	uint64_t random = tap_seed();

	try_recorded("cas-idle", &random);
	try_recorded("cas-busy", &random);
	return tap_done();
}
