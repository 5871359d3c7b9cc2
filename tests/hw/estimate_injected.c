/* SPDX-License-Identifier: MIT */
/*
 * Samples recorded on this machine, with one CPU's counter then moved by a known
 * offset: the interval holds it every time, and one above 0.6 of the interval's
 * width is always found. So the bounds are hard, and lie evenly about the truth.
 *
 * Fails when a bound is that of something else than the readings say, when one
 * of the two directions is bounded worse than the other, or when offsets are
 * found by backward readings alone, which needs the whole width.
 *
 * An offset that this machine has itself would be added to the injected one;
 * estimate_verdict.c is about that, and here it is a failure.
 */
#include "estimate/judge.h"
#include "estimate/machine.h"
#include "estimate/probe.h"
#include "tap.h"

#define RECORDINGS	50
#define PER_RECORDING	20
#define LARGEST_TICKS	2000

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

static int record(struct recording *recording, const unsigned *cpus)
{
	struct tw_probe_goal goal = {
		.deadline_ns = now_ns() + 500000000,
		.least_switches = 100,
		.least_span_ns = 7000000,
	};
	size_t i;

	*recording = (struct recording){ 0 };
	if (tw_probe_new(&recording->run, TW_METHOD_CAS, cpus, 2, 500000000,
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
	struct tw_judge_edge edges[4];
	struct tw_judge_cpu judged[2];
	unsigned heap[2];
	struct tw_judge_work work = { edges, judged, heap };
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
	tw_judge(&result, cpus, 2, &limits, &work);
	return result;
}

static unsigned holds(struct recording *recording, uint64_t *random)
{
	unsigned held = 0;
	unsigned i;

	for (i = 0; i < PER_RECORDING; i++) {
		int64_t ahead_ticks = (int64_t)(tap_random(random) >> 11) %
				      (2 * LARGEST_TICKS + 1) - LARGEST_TICKS;
		struct tw_cpu_offset pair;

		judge(recording, ahead_ticks, &pair);
		held += pair.low_ticks <= ahead_ticks &&
			pair.high_ticks >= ahead_ticks;
	}
	return held;
}

static int finds(struct recording *recording, int sign)
{
	struct tw_cpu_offset pair;
	struct tw_reliability result = judge(recording, 0, &pair);
	int64_t ahead_ticks = (pair.high_ticks - pair.low_ticks) * 6 / 10 + 1;

	result = judge(recording, sign * ahead_ticks, &pair);
	return result.verdict == TW_UNRELIABLE &&
	       (result.reasons & TW_REASON_OFFSET);
}

int main(void)
{
	uint64_t random = tap_seed();
	unsigned recordings = 0, held = 0, found = 0;
	unsigned *cpus;
	unsigned count, i;

	if (!tap_ok(!tw_allowed_cpus(&cpus, &count), "CPUs allowed"))
		return tap_done();
	for (i = 0; i < RECORDINGS && count > 1; i++) {
		struct recording recording;

		if (record(&recording, cpus)) {
			recordings++;
			held += holds(&recording, &random);
			found += (unsigned)finds(&recording, i % 2 ? 1 : -1);
		}
		end(&recording);
	}
	free(cpus);
	if (!recordings) {
		tap_skip("one CPU, or this machine was too busy");
		return tap_done();
	}
	tap_is_u64(held, recordings * PER_RECORDING, "intervals that hold it");
#if defined(__SANITIZE_THREAD__)
	tap_skip("ThreadSanitizer's own work is not the same on all CPUs");
#else
	tap_is_u64(found, recordings, "offsets of 0.6 of the width found");
#endif
	return tap_done();
}
