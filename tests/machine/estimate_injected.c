/* SPDX-License-Identifier: MIT */
/*
 * Samples recorded on this machine, by either method, with one CPU's counter then
 * moved by a known offset: the interval holds it every time, and one above 0.6 of
 * the interval's width is always found. So the bounds are hard, and lie evenly
 * about the truth.
 *
 * Fails when a bound is that of something else than the readings say (one that is
 * too tight is narrower than two readings can follow each other), when one of the
 * two directions is bounded worse than the other, or when offsets are found by
 * backward readings alone, which needs the whole width.
 *
 * An offset that this machine has itself would be added to the injected one;
 * estimate_verdict.c is about that, and here it is a failure.
 */
#include "estimate/judge.h"
#include "estimate/machine.h"
#include "estimate/probe.h"
#include "estimate/step.h"
#include "side_by_side.h"
#include "tap.h"

#define PROBES		1000
#define LARGEST_TICKS	2000
/* Far more than CPUs that run at the same time need to see one another. */
#define TURNS_NS	100000

/* By switching, intervals are as wide as moves are slow, and as uneven as one
 * way takes longer than the other: what is sure to be found is their width. */
static const struct method {
	enum tw_reliability_method method;
	const char *name;
	unsigned recordings;
	int64_t largest_ticks;
	int64_t found_tenths;	/* of the width */
	uint64_t least_span_ns;
} methods[] = {
	{ TW_METHOD_CAS, "cas", 50, LARGEST_TICKS, 6, 7000000 },
	{ TW_METHOD_SWITCH, "switch", 10, 1000 * LARGEST_TICKS, 10, 40000000 },
};

struct recording {
	struct tw_probe_run *run;
	struct tw_cpu_samples cpus[2];
	struct tw_sample *moved;	/* a copy of the second CPU's samples */
};

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * TW_NS_PER_SECOND + (uint64_t)now.tv_nsec;
}

static int record(struct recording *recording, const struct method *method,
		  const unsigned *cpus)
{
	struct tw_probe_goal goal = {
		.deadline_ns = now_ns() + 500000000,
		.least_switches = 100,
		.least_span_ns = method->least_span_ns,
	};
	size_t i;

	*recording = (struct recording){ 0 };
	if (tw_probe_new(&recording->run, method->method, cpus, 2, 500000000,
			 NULL))
		return 0;
	if (tw_probe_collect(recording->run, &goal) != 1 ||
	    tw_probe_samples(recording->run, recording->cpus) != 2)
		return 0;
	recording->moved = calloc(recording->cpus[1].count + 1,
				  sizeof(*recording->moved));
	for (i = 0; recording->moved && i < recording->cpus[1].count; i++)
		recording->moved[i] = recording->cpus[1].samples[i];
	return recording->moved != NULL;
}

static void end(struct recording *recording)
{
	free(recording->moved);
	if (recording->run)
		tw_probe_free(recording->run);
}

/* What is judged of the recording with the second CPU @ahead_ticks ahead. */
static struct tw_reliability judge(struct recording *recording,
				   int64_t ahead_ticks,
				   struct tw_cpu_offset *pair)
{
	int64_t whole_ticks[4];
	uint32_t narrowed[4];
	struct tw_judge_slot slots[4 * TW_JUDGE_SLOTS];
	struct tw_judge_cpu judged[2];
	struct tw_judge_latest latest[2];
	unsigned heap[2];
	struct tw_judge_work work = {
		whole_ticks, narrowed, slots, judged, latest, heap,
	};
	struct tw_judge_limits limits = {
		.tolerance_ticks = 100000,
		.least_switches = 100,
		.pace_limit_ppb = 1e9,
	};
	struct tw_reliability result = { .offsets = pair };
	struct tw_cpu_samples cpus[2] = { recording->cpus[0],
					  recording->cpus[1] };
	size_t i;

	for (i = 0; i < cpus[1].count; i++)
		recording->moved[i].ticks = cpus[1].samples[i].ticks +
					    (uint64_t)ahead_ticks;
	cpus[1].samples = recording->moved;
	limits.step_ticks = tw_step_of_samples(cpus, 2);
	tw_judge(&result, cpus, 2, &limits, &work);
	return result;
}

static unsigned holds(struct recording *recording, const struct method *method,
		      uint64_t *random)
{
	unsigned held = 0;
	unsigned i;

	for (i = 0; i < PROBES / method->recordings; i++) {
		int64_t ahead_ticks = (int64_t)(tap_random(random) >> 11) %
				      (2 * method->largest_ticks + 1) -
				      method->largest_ticks;
		struct tw_cpu_offset pair;

		judge(recording, ahead_ticks, &pair);
		held += pair.low_ticks < ahead_ticks &&
			pair.high_ticks > ahead_ticks;
	}
	return held;
}

static int finds(struct recording *recording, int64_t tenths, int sign)
{
	struct tw_cpu_offset pair;
	struct tw_reliability result = judge(recording, 0, &pair);
	int64_t ahead_ticks = (pair.high_ticks - pair.low_ticks) * tenths / 10 +
			      1;

	result = judge(recording, sign * ahead_ticks, &pair);
	return result.verdict == TW_UNRELIABLE &&
	       (result.reasons & TW_REASON_OFFSET);
}

/* How fast two readings can follow each other, on one CPU. */
static int64_t least_distance_ticks(void)
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

/* There and back takes twice that, whatever the offset. */
static int is_possible(struct recording *recording)
{
	struct tw_cpu_offset pair;

	judge(recording, 0, &pair);
	return pair.high_ticks - pair.low_ticks >= 2 * least_distance_ticks();
}

static void try_method(const struct method *method, const unsigned *cpus,
		       uint64_t *random)
{
	unsigned recordings = 0, held = 0, found = 0, possible = 0;
	int64_t tenths = method->found_tenths;
	uint64_t still_ns = side_by_side_ns(cpus[0], cpus[1]);
	unsigned i;

	/* CPUs that take turns order by switching, whatever the method. */
	if (tenths < 10 && still_ns > TURNS_NS) {
		tap_note("%s: threads take turns here, of %llu us", method->name,
			 (unsigned long long)still_ns / 1000);
		tenths = 10;
	}
	for (i = 0; i < method->recordings; i++) {
		struct recording recording;

		if (record(&recording, method, cpus)) {
			recordings++;
			held += holds(&recording, method, random);
			possible += (unsigned)is_possible(&recording);
			found += (unsigned)finds(&recording, tenths,
						 i % 2 ? 1 : -1);
		}
		end(&recording);
	}
	tap_note("%s: %u recordings", method->name, recordings);
	if (!recordings) {
		tap_skip("%s: this machine was too busy", method->name);
		return;
	}
	tap_is_u64(held, recordings * (PROBES / method->recordings),
		   "intervals that hold it");
	tap_is_u64(possible, recordings, "no narrower than readings are fast");
#if defined(__SANITIZE_THREAD__)
	tap_skip("ThreadSanitizer's own work is not the same on all CPUs");
#else
	tap_is_u64(found, recordings, tenths < 10 ?
		   "offsets of 0.6 of the width found" :
		   "offsets of the width found");
#endif
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
