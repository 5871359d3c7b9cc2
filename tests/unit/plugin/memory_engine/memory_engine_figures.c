/* SPDX-License-Identifier: MIT */
/*
 * Tests: core/memory
 *
 * Behaviour: the memory engine makes of a histogram of its I/Os what memlat makes of the same
 * I/Os one by one: minimum, median, its interval, p90, and how many were disturbed. Defect:
 * another rank, another limit, an interrupted I/O in the figures, a run of too few I/Os that has
 * figures.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "latency/histogram.h"
#include "memory_engine/memory_figures.h"
#include "tap.h"

#define MAX_BATCHES	2000
#define NS_PER_TICK	0.5

static int near(double a, double b)
{
	/* A value's bin is at most 1/16384 of the value wide. */
	return fabs(a - b) <= b / 16384;
}

/* Make up to MAX_BATCHES values around some ticks; one in ten is much longer, one in twenty
 * interrupted. Return what is wrong; NULL: nothing. */
static const char *try_one(uint64_t *random, unsigned least)
{
	static struct tw_memory_batch batches[MAX_BATCHES];
	unsigned count = least + (unsigned)(tap_random(random) % (MAX_BATCHES - least + 1));
	uint64_t base = UINT64_C(1) << tap_random(random) % 30, interrupted = 0;
	struct tw_memory_point ours = { .loads = 64 }, theirs = ours;
	struct tw_histogram ticks;
	int code, wanted;

	base += tap_random(random) % base;
	if (least < 5)
		count %= 6;
	if (tw_histogram_init(&ticks, TW_MEMORY_DIGITS))
		exit(1);
	for (unsigned i = 0; i < count; i++) {
		batches[i].ticks = base + tap_random(random) % (base / 4 + 1);
		if (tap_random(random) % 10 == 0)
			batches[i].ticks *= 2 + tap_random(random) % 9;
		batches[i].was_interrupted = tap_random(random) % 20 == 0;
		interrupted += batches[i].was_interrupted;
		if (!batches[i].was_interrupted)
			tw_histogram_add(&ticks, batches[i].ticks);
	}
	code = tw_memory_job_figures(&ours, &ticks, interrupted, NS_PER_TICK);
	tw_histogram_free(&ticks);
	wanted = tw_memory_evaluate(&theirs, batches, count, NS_PER_TICK);
	/* A bin that holds the limit counts as a whole. */
	if (abs((int)ours.batches - (int)theirs.batches) > 2 ||
	    ours.batches + ours.disturbed != count)
		return "how many were disturbed";
	/* One batch more or less is another rank. */
	if (ours.batches != theirs.batches)
		return NULL;
	if (code != wanted || (code && ours.median_ns > 0))
		return "figures where memlat has some";
	if (!code && ours.min_ns != theirs.min_ns)
		return "the minimum";
	if (!code && (!near(ours.median_ns, theirs.median_ns) ||
		      !near(ours.p90_ns, theirs.p90_ns) || !near(ours.low_ns, theirs.low_ns) ||
		      !near(ours.high_ns, theirs.high_ns)))
		return "median, interval or p90";
	return NULL;
}

int main(void)
{
	uint64_t random = tap_seed();
	const char *wrong = NULL;

	for (int i = 0; !wrong && i < 2000; i++)
		wrong = try_one(&random, i % 4 ? 20 : 0);
	tap_ok(!wrong, "the same figures as memlat's%s%s", wrong ? ", but " : "",
	       wrong ? wrong : "");
	return tap_done();
}
