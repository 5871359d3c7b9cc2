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
#include <stdio.h>

#include "estimate_recording.h"

#define LARGEST_TICKS	2000
#define TRIES		25	/* random offsets for each recording */
#define RECORDINGS	"tests/recordings/amd-zen3-kvm/"

struct found {
	unsigned recordings, held, possible, widths, bounds, short_of;
	double low_ticks, high_ticks;
};

static void try_recording(struct found *found, struct recording *recording,
			  int64_t min_ticks, uint64_t *random)
{
	struct tw_cpu_offset pair;

	recording_judge(recording, 0, &pair);
	found->recordings++;
	found->low_ticks += (double)pair.low_ticks;
	found->high_ticks += (double)pair.high_ticks;
	found->held += recording_holds(recording, TRIES, LARGEST_TICKS, random);
	found->possible += pair.high_ticks - pair.low_ticks >= 2 * min_ticks;
	found->widths += (unsigned)recording_finds_width(recording);
	found->bounds += recording_finds(recording, -pair.low_ticks) &&
			 recording_finds(recording, -pair.high_ticks);
	found->short_of += !recording_finds(recording, -pair.low_ticks - 1) &&
			   !recording_finds(recording, -pair.high_ticks + 1);
}

static void tell(const struct found *found, const char *name)
{
	unsigned all = found->recordings;

	tap_note("%s: %u recordings, the intervals are %.0f to %.0f ticks", name,
		 all, found->low_ticks / all, found->high_ticks / all);
	tap_is_u64(found->held, TRIES * all, "intervals that hold the offset");
	tap_is_u64(found->possible, all, "no narrower than readings are fast");
	tap_is_u64(found->widths, all, "offsets of the width found, both ways");
	tap_is_u64(found->bounds, all, "and those at the bounds");
	tap_is_u64(found->short_of, all, "and none that is a tick short of it");
}

/* Read one CPU's samples; NULL at the end of the file. */
static struct tw_sample *read_cpu(FILE *file, struct tw_cpu_samples *cpu,
				  uint64_t *sequence, uint64_t *ticks)
{
	struct tw_sample *samples;
	uint64_t sequences, more;

	if (fscanf(file, " cpu %u %zu", &cpu->cpu, &cpu->count) != 2)
		return NULL;
	samples = calloc(cpu->count + 1, sizeof(*samples));
	for (size_t i = 0; i < cpu->count; i++) {
		if (fscanf(file, "%" SCNu64 " %" SCNu64, &sequences, &more) != 2)
			exit(1);
		*sequence += sequences;
		*ticks += more;
		samples[i] = (struct tw_sample){ *sequence, *ticks };
	}
	cpu->samples = samples;
	cpu->probes = cpu->count;
	return samples;
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

/* Both CPUs count from the first one's first reading. */
static int read_one(FILE *file, struct recording *recording)
{
	uint64_t sequence = 0, ticks = 0, first_ticks;

	if (!read_cpu(file, &recording->cpus[0], &sequence, &ticks))
		return 0;
	first_ticks = recording->cpus[0].samples[0].ticks;
	sequence = 0;
	ticks = first_ticks;
	return read_cpu(file, &recording->cpus[1], &sequence, &ticks) != NULL;
}

static void try_recorded(const char *name, uint64_t *random)
{
	struct found found = { 0 };
	struct recording recording;
	char command[200];
	FILE *file;

	snprintf(command, sizeof(command), "xz -dc " RECORDINGS "%s.txt.xz",
		 name);
	file = popen(command, "r");
	while (file && read_one(file, &recording)) {
		int64_t one = min_distance_ticks(&recording.cpus[0]);
		int64_t two = min_distance_ticks(&recording.cpus[1]);

		try_recording(&found, &recording, one < two ? one : two, random);
		free((void *)recording.cpus[0].samples);
		free((void *)recording.cpus[1].samples);
	}
	if (tap_ok(file && pclose(file) == 0 && found.recordings >= 15,
		   "%s: read", name))
		tell(&found, name);
}

int main(void)
{
	uint64_t random = tap_seed();

	try_recorded("cas-idle", &random);
	try_recorded("cas-busy", &random);
	return tap_done();
}
