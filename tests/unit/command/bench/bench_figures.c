/* SPDX-License-Identifier: MIT */
/*
 * Checks tickwise bench's arithmetic on made-up costs: medians of the ratios of one
 * round; disturbed rounds are left out and counted. Fails if ratios are made of
 * medians of different rounds, or if an interrupt moves a figure.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "command/bench/bench.h"
#include "tap.h"

#define ROUNDS	100
#define HZ	2e9

static uint32_t ticks[TW_LOOPS][ROUNDS];

/* Return blocks of ten calls that cost 1000 ticks, but for those set below. */
static struct tw_bench_costs even(void)
{
	struct tw_bench_costs costs = { .rounds = ROUNDS, .most = ROUNDS };
	unsigned i, j;

	for (i = 0; i < TW_LOOPS; i++) {
		costs.ticks[i] = ticks[i];
		costs.calls[i] = 10;
		for (j = 0; j < ROUNDS; j++)
			ticks[i][j] = 1000;
	}
	for (j = 0; j < ROUNDS; j++) {
		ticks[TW_LOOP_NOW][j] = 1200;
		ticks[TW_LOOP_SYSTEM][j] = 2400;
	}
	return costs;
}

static const struct tw_bench_result *find(const struct tw_bench_result *results,
					  const char *name)
{
	for (unsigned i = 0; i < TW_BENCH_RESULTS; i++)
		if (!strcmp(results[i].name, name))
			return &results[i];
	tap_ok(0, "there is a %s", name);
	exit(1);
}

/* Compare doubles made of small integers: only rounding may differ. */
static void is(double is, double should, const char *what)
{
	if (!tap_ok(fabs(is - should) < 1e-9, "%s", what))
		tap_note("is %.12g, should be %.12g", is, should);
}

static void quiet(void)
{
	struct tw_bench_result results[TW_BENCH_RESULTS];
	struct tw_bench_costs costs = even();

	tap_ok(tw_bench_evaluate(results, &costs, HZ) == 0, "quiet rounds");
	is(find(results, "rdtsc_ns")->value, 50, "nanoseconds of one call");
	is(find(results, "now_over_rdtsc")->value, 1.2, "a ratio");
	is(find(results, "system_over_now")->value, 2, "another base");
	is(find(results, "now_over_rdtsc")->p90, 1.2, "no spread");
	tap_is_u64(find(results, "now_over_rdtsc")->used, ROUNDS, "all used");
}

/*
 * Ratios 0.80, 0.81 ... 1.04, four of each, in some order, in rounds of different
 * speed. Ratios of medians or of sorted costs would be others.
 */
static void spread(void)
{
	struct tw_bench_result results[TW_BENCH_RESULTS];
	struct tw_bench_costs costs = even();
	const struct tw_bench_result *now;

	for (unsigned i = 0; i < ROUNDS; i++) {
		uint32_t speed = i % 2 ? 1000 : 1200;

		ticks[TW_LOOP_RDTSC][i] = speed * 100;
		ticks[TW_LOOP_NOW][i] = speed * (80 + i * 37 % ROUNDS / 4);
	}
	tw_bench_evaluate(results, &costs, HZ);
	now = find(results, "now_over_rdtsc");
	is(now->value, 0.92, "the median of the ratios within rounds");
	is(now->p10, 0.82, "its tenth percentile");
	is(now->p90, 1.02, "its ninetieth");
}

static void interrupts(void)
{
	struct tw_bench_result results[TW_BENCH_RESULTS];
	struct tw_bench_costs costs = even();
	const struct tw_bench_result *now;

	for (unsigned i = 0; i < 30; i++)
		ticks[i < 20 ? TW_LOOP_NOW : TW_LOOP_RDTSC][i] = 5000;
	tap_ok(tw_bench_evaluate(results, &costs, HZ) == 0,
	       "some disturbed rounds");
	now = find(results, "now_over_rdtsc");
	tap_is_u64(now->disturbed, 30, "counted, on either side");
	tap_is_u64(now->used, ROUNDS - 30, "the others used");
	is(now->p10, 1.2, "left out below");
	is(now->p90, 1.2, "left out above");
	tap_is_u64(find(results, "timespec_over_rdtsc")->disturbed, 10,
		   "only where they took part");
}

static void too_few(void)
{
	struct tw_bench_result results[TW_BENCH_RESULTS];
	struct tw_bench_costs costs = even();

	/* Neither loop is disturbed often, but in different rounds: 40 are left. */
	for (unsigned i = 0; i < 30; i++) {
		ticks[TW_LOOP_NOW][i] = 5000;
		ticks[TW_LOOP_RDTSC][i + 30] = 5000;
	}
	tap_ok(tw_bench_evaluate(results, &costs, HZ) == -EAGAIN,
	       "most rounds disturbed: -EAGAIN");
	/* As many disturbed rounds as the limits allow: one round is left. */
	costs = even();
	costs.rounds = ROUNDS - 1;
	for (unsigned i = 0; i < ROUNDS / 2 - 1; i++) {
		ticks[TW_LOOP_NOW][i] = 5000;
		ticks[TW_LOOP_RDTSC][i + ROUNDS / 2 - 1] = 5000;
	}
	tap_ok(tw_bench_evaluate(results, &costs, HZ) == -EAGAIN &&
	       find(results, "now_over_rdtsc")->used == 1,
	       "all but one: -EAGAIN");
	costs = even();
	costs.rounds = TW_BENCH_MIN_ROUNDS - 1;
	tap_ok(tw_bench_evaluate(results, &costs, HZ) == -EAGAIN,
	       "hardly a round at all: -EAGAIN");
	costs.rounds = 0;
	tap_ok(tw_bench_evaluate(results, &costs, HZ) == -EAGAIN,
	       "none at all: -EAGAIN");
}

int main(void)
{
	quiet();
	spread();
	interrupts();
	too_few();
	return tap_done();
}
