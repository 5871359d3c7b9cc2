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
static struct tw_bench_costs costs;
static struct tw_bench_result results[TW_BENCH_RESULTS];

/* Set blocks of ten calls that cost 1000 ticks, but for those of two loops. */
static void even(void)
{
	costs = (struct tw_bench_costs) { .rounds = ROUNDS, .calls = 10 };
	for (unsigned i = 0; i < TW_LOOPS; i++) {
		costs.ticks[i] = ticks[i];
		for (unsigned j = 0; j < ROUNDS; j++)
			ticks[i][j] = i == TW_LOOP_NOW ? 1200 : i == TW_LOOP_SYSTEM ? 2400 :
				      1000;
	}
}

static const struct tw_bench_result *find(const char *name)
{
	unsigned i = 0;

	while (strcmp(results[i].name, name) != 0)
		i++;
	return &results[i];
}

/* Compare doubles made of small integers: only rounding may differ. */
static void is(double is, double should, const char *what)
{
	if (!tap_ok(fabs(is - should) < 1e-9, "%s", what))
		tap_note("is %.12g, should be %.12g", is, should);
}

static void evaluate(int should, const char *what)
{
	tap_ok(tw_bench_evaluate(results, &costs, HZ) == should, "%s", what);
}

static void quiet(void)
{
	even();
	evaluate(0, "quiet rounds");
	is(find("rdtsc_ns")->value, 50, "nanoseconds of one call");
	is(find("now_over_rdtsc")->value, 1.2, "a ratio");
	is(find("system_over_now")->value, 2, "another base");
	is(find("now_over_rdtsc")->p90, 1.2, "no spread");
	tap_is_u64(find("now_over_rdtsc")->used, ROUNDS, "all used");
}

/*
 * Ratios 0.80, 0.81 ... 1.04, four of each, in some order, in rounds of different
 * speed. Ratios of medians or of sorted costs would be others.
 */
static void spread(void)
{
	even();
	for (unsigned i = 0; i < ROUNDS; i++) {
		uint32_t speed = i % 2 ? 1000 : 1200;

		ticks[TW_LOOP_RDTSC][i] = speed * 100;
		ticks[TW_LOOP_NOW][i] = speed * (80 + i * 37 % ROUNDS / 4);
	}
	evaluate(0, "rounds of different speed");
	is(find("now_over_rdtsc")->value, 0.92, "the median of the ratios within rounds");
	is(find("now_over_rdtsc")->p10, 0.82, "its tenth percentile");
	is(find("now_over_rdtsc")->p90, 1.02, "its ninetieth");
}

/* Disturb @count rounds of the one loop, and then @count of the other. */
static void interrupt(unsigned count, unsigned other_count)
{
	even();
	for (unsigned i = 0; i < count + other_count; i++)
		ticks[i < count ? TW_LOOP_NOW : TW_LOOP_RDTSC][i] = 5000;
}

static void interrupts(void)
{
	const struct tw_bench_result *now;

	interrupt(20, 10);
	evaluate(0, "some disturbed rounds");
	now = find("now_over_rdtsc");
	tap_is_u64(now->disturbed, 30, "counted, on either side");
	tap_is_u64(now->used, ROUNDS - 30, "the others used");
	is(now->p10, 1.2, "left out below");
	is(now->p90, 1.2, "left out above");
	tap_is_u64(find("timespec_over_rdtsc")->disturbed, 10, "only where they took part");
	/* Neither loop is disturbed often, but in different rounds: 40 are left. */
	interrupt(30, 30);
	evaluate(-EAGAIN, "most rounds disturbed: -EAGAIN");
	/* As many disturbed rounds as the limits allow: one round is left. */
	interrupt(ROUNDS / 2 - 1, ROUNDS / 2 - 1);
	costs.rounds = ROUNDS - 1;
	evaluate(-EAGAIN, "all but one: -EAGAIN");
	tap_is_u64(find("now_over_rdtsc")->used, 1, "used");
	even();
	costs.rounds = TW_BENCH_MIN_ROUNDS - 1;
	evaluate(-EAGAIN, "hardly a round at all: -EAGAIN");
	costs.rounds = 0;
	evaluate(-EAGAIN, "none at all: -EAGAIN");
}

int main(void)
{
	quiet();
	spread();
	interrupts();
	return tap_done();
}
