/* SPDX-License-Identifier: MIT */
/*
 * Which of several simulated jobs, devices or hosts is named as odd. Defect: equal ones are told
 * apart because neighbouring parts of their runs are alike, or because a few windows are huge;
 * one at half speed is missed. The same seed makes the same runs.
 */
#include <stdlib.h>
#include <string.h>

#include "command/analysis/analysis.h"
#include "diff_runs.h"
#include "tap.h"

#define RUNS	400
#define WINDOWS	128
#define MOST	8

static double exactly_normal(void)
{
	return sqrt(-2 * log(1 - diff_uniform())) * cos(2 * M_PI * diff_uniform());
}

/* Simulate one: windows with noise of 20 %, alike by @memory, one in fifty with a stall. */
static void simulate(struct tw_odd_one *one, const char *name, double memory, double lat_ns)
{
	double state = exactly_normal();

	*one = (struct tw_odd_one) { .name = name, .has_windows = 1, .parts = TW_ODD_PARTS };
	for (int i = 0; i < WINDOWS; i++) {
		const int stalls = diff_uniform() < 0.02;

		state = memory * state + sqrt(1 - memory * memory) * exactly_normal();
		one->mean_ns[i * TW_ODD_PARTS / WINDOWS] += lat_ns * TW_ODD_PARTS / WINDOWS *
			(fmax(0.05, 1 + 0.2 * state) + 3 * stalls);
	}
}

/* Return in how many of @runs the one at half speed is named alone; with @lat 1, in how many
 * any is named. */
static int count_named(size_t count, double memory, double lat, int runs)
{
	static const char *const names[MOST] = { "odd", "a", "b", "c", "d", "e", "f", "g" };
	struct tw_odd_one list[MOST];
	int named = 0;

	for (int i = 0; i < runs; i++) {
		size_t slow;

		for (size_t j = 0; j < count; j++)
			simulate(&list[j], names[j], memory, j ? 1e6 : lat * 1e6);
		slow = tw_odd_judge(list, count);
		named += lat > 1 ? slow == 1 && !strcmp(list->name, "odd") : slow != 0;
	}
	return named;
}

int main(void)
{
	static const double memories[] = { 0, 0.5, 0.9, 0.97 };
	const char *asked = getenv("TW_RUNS");	/* 400 unless more are asked for */
	const int runs = asked ? atoi(asked) : RUNS;

	for (size_t i = 0; i < sizeof(memories) / sizeof(*memories); i++)
		for (size_t count = 3; count <= MOST; count += 5) {
			int equal, half;

			diff_random_state = 7;
			equal = count_named(count, memories[i], 1, runs);
			half = count_named(count, memories[i], 2, runs);
			printf("# memory %g: of %zu equal ones in %d of %d runs, one at half speed in %d\n",
			       memories[i], count, equal, runs, half);
			tap_ok(equal * 40 <= runs, "of %zu equal ones at most one of 40 runs has an "
			       "odd one, memory %g", count, memories[i]);
			/* Where noise lasts as long as the run, one can be as fast as the others. */
			if (memories[i] < 0.95)
				tap_ok(half * 20 >= runs * 20 - runs / 2, "one of %zu at half speed is "
				       "named, memory %g", count, memories[i]);
		}
	return tap_done();
}
