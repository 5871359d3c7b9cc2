/* SPDX-License-Identifier: MIT */
/*
 * Turns the costs of blocks into figures: ratios within a round, their median
 * and their spread. Disturbed rounds are left out and counted. Pure arithmetic.
 */
#include <errno.h>
#include <stdlib.h>

#include "command/bench/bench.h"
#include "base/allocate.h"

/* A multiple of the loop's median block. An interrupt takes a microsecond or
 * more, a block takes two to five. Changes of the CPU's frequency between two
 * blocks stay well below this limit. */
#define DISTURBED	1.5

#define NONE		TW_LOOPS

static const struct figure {
	const char *name;
	enum tw_bench_loop over;
	enum tw_bench_loop under;	/* NONE: nanoseconds of one call */
	double aim;
	int aim_is_least;
	const char *of;
} figures[TW_BENCH_RESULTS] = {
	{ "rdtsc_ns", TW_LOOP_RDTSC, NONE, 0, 0,
	  "tw_ticks(), the bare counter" },
	{ "to_ns_over_rdtsc", TW_LOOP_TO_NS, TW_LOOP_RDTSC, 1.15, 0,
	  "tw_ticks_to_ns(tw_ticks()) / tw_ticks()" },
	{ "to_ns_wide_over_rdtsc", TW_LOOP_TO_NS_WIDE, TW_LOOP_RDTSC, 0, 0,
	  "the same by the high half of a 128-bit product / tw_ticks()" },
	{ "now_over_rdtsc", TW_LOOP_NOW, TW_LOOP_RDTSC, 1.20, 0,
	  "tw_clock_ns() / tw_ticks()" },
	{ "now_refined_over_rdtsc", TW_LOOP_NOW_REFINED, TW_LOOP_RDTSC, 0, 0,
	  "tw_clock_ns() once the clock was refined / tw_ticks()" },
	{ "timespec_over_rdtsc", TW_LOOP_TIMESPEC, TW_LOOP_RDTSC, 1.30, 0,
	  "tw_clock_timespec() / tw_ticks()" },
	{ "fio_way_over_rdtsc", TW_LOOP_FIO_WAY, TW_LOOP_RDTSC, 0, 0,
	  "a timespec the way of fio's cpu clock / tw_ticks()" },
	{ "system_over_now", TW_LOOP_SYSTEM, TW_LOOP_NOW, 1.8, 1,
	  "clock_gettime(CLOCK_MONOTONIC) / tw_clock_ns()" },
	{ "system_over_rdtsc", TW_LOOP_SYSTEM, TW_LOOP_RDTSC, 0, 0,
	  "the same / tw_ticks(): no clock can gain more" },
};

static int compare(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* @sorted has @count values, at least one. @part is 0 to 1. */
static double quantile(const double *sorted, uint32_t count, double part)
{
	return sorted[(uint32_t)(part * (count - 1) + 0.5)];
}

/* Return the limit above which a block of @loop counts as disturbed. Changes
 * @scratch. */
static double limit_ticks(const struct tw_bench_costs *costs,
			  enum tw_bench_loop loop, double *scratch)
{
	uint32_t i;

	for (i = 0; i < costs->rounds; i++)
		scratch[i] = costs->ticks[loop][i];
	qsort(scratch, costs->rounds, sizeof(*scratch), compare);
	return DISTURBED * quantile(scratch, costs->rounds, 0.5);
}

static void evaluate(struct tw_bench_result *result,
		     const struct tw_bench_costs *costs,
		     enum tw_bench_loop over, enum tw_bench_loop under,
		     double tick_ns, double *scratch)
{
	const int is_ratio = under != NONE;
	double over_limit = limit_ticks(costs, over, scratch);
	double under_limit = is_ratio ? limit_ticks(costs, under, scratch) : 0;
	uint32_t i, used = 0;

	for (i = 0; i < costs->rounds; i++) {
		uint32_t over_ticks = costs->ticks[over][i];
		uint32_t under_ticks = is_ratio ? costs->ticks[under][i] : 0;

		if (over_ticks > over_limit || under_ticks > under_limit)
			continue;
		scratch[used] = (double)over_ticks / costs->calls[over];
		if (is_ratio)
			scratch[used] /= (double)under_ticks /
					 costs->calls[under];
		else
			scratch[used] *= tick_ns;
		used++;
	}
	/* @used is never 0: more than half of the blocks of either loop are
	 * within the limit, so at least one round has both. */
	result->used = used;
	result->disturbed = costs->rounds - used;
	qsort(scratch, used, sizeof(*scratch), compare);
	result->value = quantile(scratch, used, 0.5);
	result->p10 = quantile(scratch, used, 0.1);
	result->p90 = quantile(scratch, used, 0.9);
}

static int is_disturbed(const struct tw_bench_result *result)
{
	return result->used < TW_BENCH_MIN_ROUNDS ||
	       result->used < result->disturbed;
}

int tw_bench_evaluate(struct tw_bench_result results[TW_BENCH_RESULTS],
		      const struct tw_bench_costs *costs, double hz)
{
	int ret = 0;
	double *scratch;
	unsigned i;

	if (!costs->rounds)
		return -EAGAIN;
	scratch = tw_zalloc(costs->rounds, sizeof(*scratch));
	for (i = 0; i < TW_BENCH_RESULTS; i++) {
		const struct figure *figure = &figures[i];
		struct tw_bench_result *result = &results[i];

		*result = (struct tw_bench_result) {
			.name = figure->name,
			.unit = figure->under == NONE ? "ns" : "ratio",
			.of = figure->of,
			.aim = figure->aim,
			.aim_is_least = figure->aim_is_least,
		};
		evaluate(result, costs, figure->over, figure->under, 1e9 / hz,
			 scratch);
		if (is_disturbed(result))
			ret = -EAGAIN;
	}
	free(scratch);
	return ret;
}
