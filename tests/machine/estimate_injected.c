/* SPDX-License-Identifier: MIT */
/*
 * Records samples on this machine, by either method, then moves one CPU's counter
 * by a known offset. The interval holds the offset every time, and an offset above
 * the interval's width is always found. unit/estimate/estimate_injected does the same with
 * samples of another machine and with made ones; its comment tells what makes it
 * fail.
 *
 * An offset of this machine itself would be added to the injected one.
 * estimate_verdict.c is about such an offset; here it is a failure.
 */
#include "machine/cpus.h"
#include "estimate/probe.h"
#include "estimate_recording.h"
#include "tap.h"

#define PROBES		1000
#define LARGEST_TICKS	2000

/* By switching, intervals are as wide as a move takes. */
static const struct method {
	enum tw_reliability_method method;
	const char *name;
	unsigned recordings;
	int64_t largest_ticks;
	uint64_t min_span_ns;
} methods[] = {
	{ TW_METHOD_CAS, "cas", 50, LARGEST_TICKS, 7000000 },
	{ TW_METHOD_SWITCH, "switch", 10, 1000 * LARGEST_TICKS, 40000000 },
};

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * TW_NS_PER_SECOND + (uint64_t)now.tv_nsec;
}

static int record(struct tw_probe_run **run, struct recording *recording,
		  const struct method *method, const unsigned *cpus)
{
	struct tw_probe_goal goal = {
		.deadline_ns = now_ns() + 500000000,
		.least_switches = 100,
		.min_span_ns = method->min_span_ns,
	};

	*recording = (struct recording){ 0 };
	*run = NULL;
	if (tw_probe_new(run, method->method, cpus, 2, 500000000, NULL))
		return 0;
	return tw_probe_collect(*run, &goal) == 1 &&
	       tw_probe_samples(*run, recording->cpus) == 2 &&
	       recording_init(recording);
}

/* Return how fast two readings can follow each other on one CPU. */
static int64_t min_distance_ticks(void)
{
	uint64_t least = UINT64_MAX;
	unsigned i;

	for (i = 0; i < 10000; i++) {
		uint64_t begin = tw_ticks_begin();
		uint64_t distance = tw_ticks_begin() - begin;

		if (distance < least)
			least = distance;
	}
	return (int64_t)least;
}

/* A move there and back takes at least twice that, whatever the offset. */
static int is_possible(struct recording *recording)
{
	struct tw_cpu_offset pair;

	recording_judge(recording, 0, &pair);
	tap_note("%" PRId64 " to %" PRId64 " ticks", pair.low_ticks,
		 pair.high_ticks);
	return pair.high_ticks - pair.low_ticks >= 2 * min_distance_ticks();
}

static void try_method(const struct method *method, const unsigned *cpus,
		       uint64_t *random)
{
	unsigned recordings = 0, held = 0, found = 0, possible = 0;
	unsigned tries = PROBES / method->recordings;
	unsigned i;

	for (i = 0; i < method->recordings; i++) {
		struct recording recording;
		struct tw_probe_run *run;

		if (record(&run, &recording, method, cpus)) {
			recordings++;
			held += recording_holds(&recording, tries,
						method->largest_ticks, random);
			possible += (unsigned)is_possible(&recording);
			found += (unsigned)recording_finds_width(&recording);
		}
		free(recording.moved);
		if (run)
			tw_probe_free(run);
	}
	tap_note("%s: %u recordings", method->name, recordings);
	if (!recordings) {
		tap_skip("%s: this machine was too busy", method->name);
		return;
	}
	tap_is_u64(held, recordings * tries, "intervals that hold the offset");
	tap_is_u64(possible, recordings, "no narrower than two readings allow");
	tap_is_u64(found, recordings, "offsets of the width found");
}

int main(void)
{
	uint64_t random = tap_seed();
	unsigned *cpus;
	unsigned count, i;

	if (!tap_ok(!tw_allowed_cpus(&cpus, &count), "CPUs allowed"))
		return tap_done();
	for (i = 0; i < sizeof(methods) / sizeof(methods[0]); i++) {
		if (count > 1)
			try_method(&methods[i], cpus, &random);
		else
			tap_skip("only one CPU is allowed");
	}
	free(cpus);
	return tap_done();
}
