/* SPDX-License-Identifier: MIT */
/*
 * Tests: plugin/memory_engine
 *
 * Checks what batches tell of a load: order statistics and their interval, and which batches are
 * disturbed. Fails if a disturbed batch is part of a figure, if the interval has other ranks than
 * those that hold the median with 95 %, or if a histogram tells else than the same batches one by
 * one.
 */
#include <errno.h>
#include <math.h>

#include "latency/histogram.h"
#include "memory/point.h"
#include "tap.h"

#define BATCHES		101

static int is_near(double is, double should)
{
	return fabs(is - should) < 1e-9 * fabs(should);
}

static void check_ranks(uint64_t *random)
{
	struct tw_memory_point point = { .loads = 100 };
	struct tw_memory_batch batches[BATCHES];

	/* 100000 to 100100 ticks of half a nanosecond, shuffled. */
	for (unsigned i = 0; i < BATCHES; i++) {
		unsigned other = (unsigned)(tap_random(random) % (i + 1));

		batches[i] = batches[other];
		batches[other] = (struct tw_memory_batch) { 100000 + i, 0 };
	}
	tap_ok(tw_memory_evaluate(&point, batches, BATCHES, 0.5) == 0 &&
	       point.batches == BATCHES && point.disturbed == 0, "101 batches, none disturbed");
	/* Rank ceil(101 * 0.9) = 91, which is 100090. */
	tap_ok(is_near(point.min_ns, 500) && is_near(point.median_ns, 100050 * 0.5 / 100) &&
	       is_near(point.p90_ns, 100090 * 0.5 / 100), "the minimum, the median, p90");
	/* Half the ranks, 1.96 sigmas: 50.5 -+ 9.85, outwards. */
	tap_ok(is_near(point.low_ns, 100039 * 0.5 / 100) &&
	       is_near(point.high_ns, 100061 * 0.5 / 100), "the interval, rank 40 to rank 62");
	tw_memory_evaluate(&point, batches, 20, 0.5);
	tap_ok(is_near(point.low_ns, 100004 * 0.5 / 100) &&
	       is_near(point.high_ns, 100015 * 0.5 / 100), "of 20, rank 5 to rank 16");
	tw_memory_evaluate(&point, batches, 6, 0.5);
	tap_ok(is_near(point.median_ns, 100002.5 * 0.5 / 100) &&
	       is_near(point.low_ns, 500) && is_near(point.high_ns, 100005 * 0.5 / 100),
	       "of six: between two ranks, and all of them");
}

static void check_disturbed(void)
{
	struct tw_memory_point point = { .loads = 10 };
	struct tw_memory_batch batches[BATCHES];

	for (unsigned i = 0; i < BATCHES; i++)
		batches[i] = (struct tw_memory_batch) { 100000, 0 };
	/* One was interrupted, and is the fastest of all; two were slower by more than half and
	 * 2 us; one is just within. */
	batches[3] = (struct tw_memory_batch) { 10, 1 };
	batches[50].ticks = 900000;
	batches[51].ticks = 152001;
	batches[52].ticks = 151999;
	tap_ok(tw_memory_evaluate(&point, batches, BATCHES, 1) == 0 && point.disturbed == 3 &&
	       point.batches == BATCHES - 3 && is_near(point.min_ns, 10000),
	       "three are disturbed, and none of them the minimum");
	for (unsigned good = 0; good <= 5; good++) {
		for (unsigned i = 0; i < 8; i++)
			batches[i] = (struct tw_memory_batch) { 1000, i >= good };
		tap_ok(tw_memory_evaluate(&point, batches, 8, 1) == (good < 5 ? -EAGAIN : 0) &&
		       point.batches == good && point.disturbed == 8 - good,
		       "%u undisturbed of eight", good);
	}
}

#define MAX_BATCHES	2000
#define DIGITS		4

static int is_in_bin(double is, double should)
{
	/* A value's bin is at most 1/16384 of the value wide. */
	return fabs(is - should) <= should / 16384;
}

/* Make up to MAX_BATCHES values around some ticks; one in ten is much longer, one in twenty
 * interrupted. Return what differs in a histogram of them; NULL: nothing. */
static const char *try_bins(uint64_t *random, unsigned least)
{
	static struct tw_memory_batch batches[MAX_BATCHES];
	unsigned count = least + (unsigned)(tap_random(random) % (MAX_BATCHES - least + 1));
	uint64_t base = UINT64_C(1) << tap_random(random) % 30, interrupted = 0;
	struct tw_memory_point bins = { .loads = 64 }, each = bins;
	struct tw_histogram ticks;
	int code, wanted;

	base += tap_random(random) % base;
	if (least < 5)
		count %= 6;
	if (tw_histogram_init(&ticks, DIGITS))
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
	code = tw_memory_evaluate_bins(&bins, &ticks, interrupted, 0.5);
	tw_histogram_free(&ticks);
	wanted = tw_memory_evaluate(&each, batches, count, 0.5);
	/* A bin that holds the limit counts as a whole. */
	if (abs((int)bins.batches - (int)each.batches) > 2 ||
	    bins.batches + bins.disturbed != count)
		return "how many were disturbed";
	/* One batch more or less is another rank. */
	if (bins.batches != each.batches)
		return NULL;
	if (code != wanted || (code && bins.median_ns > 0))
		return "that there are figures";
	return code || (bins.min_ns == each.min_ns &&
			is_in_bin(bins.median_ns, each.median_ns) &&
			is_in_bin(bins.p90_ns, each.p90_ns) &&
			is_in_bin(bins.low_ns, each.low_ns) &&
			is_in_bin(bins.high_ns, each.high_ns)) ? NULL : "a figure";
}

static void check_bins(uint64_t *random)
{
	const char *wrong = NULL;

	for (int i = 0; !wrong && i < 2000; i++)
		wrong = try_bins(random, i % 4 ? 20 : 0);
	tap_ok(!wrong, "the same of a histogram%s%s", wrong ? ", but " : "", wrong ? wrong : "");
}

int main(void)
{
	uint64_t random = tap_seed();

	check_ranks(&random);
	check_disturbed();
	check_bins(&random);
	return tap_done();
}
