/* SPDX-License-Identifier: MIT */
/*
 * Behaviour: the memory engine makes of a histogram of its I/Os what memlat makes
 * of the same I/Os one by one: minimum, median, its interval, p90, and how many
 * were disturbed. Defect: another rank, another limit, an interrupted I/O in the
 * figures, a run of too few I/Os that has figures.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "latency/histogram.h"
#include "memory_engine/memory_figures.h"
#include "tap.h"

#define MIN_BATCHES		20	/* enough are left, whatever is disturbed */
#define MAX_BATCHES		2000
#define NS_PER_TICK	0.5

/* A value's bin is at most 1/16384 of the value wide. */
#define TOLERANCE	(1.0 / 16384)

static struct tw_memory_batch batches[MAX_BATCHES];

static int near(double a, double b)
{
	return fabs(a - b) <= TOLERANCE * b;
}

/*
 * Make values around @base ticks; one in ten is much longer, one in twenty
 * interrupted.
 */
static void make(uint64_t *random, struct tw_histogram *ticks,
		 uint64_t *interrupted, unsigned count, uint64_t base)
{
	*interrupted = 0;
	for (unsigned i = 0; i < count; i++) {
		uint64_t took = base + tap_random(random) % (base / 4 + 1);

		if (tap_random(random) % 10 == 0)
			took *= 2 + tap_random(random) % 9;
		batches[i].ticks = took;
		batches[i].was_interrupted =
			tap_random(random) % 20 == 0;
		if (batches[i].was_interrupted)
			++*interrupted;
		else
			tw_histogram_add(ticks, took);
	}
}

static int agree(const struct tw_memory_point *ours,
		 const struct tw_memory_point *theirs)
{
	/* A bin that holds the limit counts as a whole. */
	double apart = fabs((double)ours->batches - (double)theirs->batches);

	return apart <= 2 && ours->batches + ours->disturbed ==
		theirs->batches + theirs->disturbed &&
	       near(ours->min_ns, theirs->min_ns);
}

static int figures_agree(const struct tw_memory_point *ours,
			 const struct tw_memory_point *theirs)
{
	return near(ours->median_ns, theirs->median_ns) &&
	       near(ours->p90_ns, theirs->p90_ns) &&
	       near(ours->low_ns, theirs->low_ns) &&
	       near(ours->high_ns, theirs->high_ns);
}

static void try_one(uint64_t *random, int *counts, int *figures, int *codes)
{
	unsigned count = MIN_BATCHES + (unsigned)
			 (tap_random(random) % (MAX_BATCHES - MIN_BATCHES + 1));
	uint64_t base = UINT64_C(1) << (tap_random(random) % 30);
	struct tw_memory_point ours = { .loads = 64 }, theirs = ours;
	struct tw_histogram ticks;
	uint64_t interrupted;
	int code, wanted;

	base += tap_random(random) % base;
	if (tw_histogram_init(&ticks, TW_MEMORY_DIGITS))
		exit(1);
	make(random, &ticks, &interrupted, count, base);
	code = tw_memory_job_figures(&ours, &ticks, interrupted, NS_PER_TICK);
	wanted = tw_memory_evaluate(&theirs, batches, count, NS_PER_TICK);
	*codes += code != wanted;
	if (!code && !wanted) {
		*counts += !agree(&ours, &theirs);
		/* One batch more or less is another rank. */
		*figures += ours.batches == theirs.batches &&
			    !figures_agree(&ours, &theirs);
	}
	tw_histogram_free(&ticks);
}

static void check_few(void)
{
	struct tw_memory_point point = { .loads = 64 };
	struct tw_histogram ticks;

	if (tw_histogram_init(&ticks, TW_MEMORY_DIGITS))
		exit(1);
	tap_ok(tw_memory_job_figures(&point, &ticks, 3, NS_PER_TICK) == -EAGAIN &&
	   point.batches == 0 && point.disturbed == 3, "none but interrupted");
	for (int i = 1; i < TW_MEMORY_MIN_BATCHES; i++)
		tw_histogram_add(&ticks, 1000);
	tap_ok(tw_memory_job_figures(&point, &ticks, 0, NS_PER_TICK) == -EAGAIN &&
	   point.median_ns == 0, "too few: no figures");
	tw_histogram_add(&ticks, 1000);
	tap_ok(tw_memory_job_figures(&point, &ticks, 0, NS_PER_TICK) == 0 &&
	   point.median_ns == 1000 * NS_PER_TICK / 64, "enough");
	tw_histogram_free(&ticks);
}

int main(void)
{
	uint64_t seed = tap_seed(), *random = &seed;
	int counts = 0, figures = 0, codes = 0;

	for (int i = 0; i < 2000; i++)
		try_one(random, &counts, &figures, &codes);
	tap_ok(codes == 0, "figures where memlat has some");
	tap_ok(counts == 0, "as many disturbed, and the same minimum");
	tap_ok(figures == 0, "the same median, interval and p90");
	check_few();
	return tap_done();
}
