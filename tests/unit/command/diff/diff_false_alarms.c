/* SPDX-License-Identifier: MIT */
/*
 * How often tickwise diff finds a change in equal sets of five runs whose I/Os are
 * correlated, and in sets that differ. It is a small edition of
 * diff_simulated.c (tests/bench/README.md), with a fixed seed. Fails if correlated I/Os count
 * as independent evidence, or if a change of 5 % or of the tail alone is missed or
 * misnamed. Fails also if noise that hides a change is called no change. The same for
 * two runs.
 */
#include "diff_runs.h"
#include "tap.h"

#define AR	.memory = 0.99, .deviation = 0.3, .longer = 1
#define STALLS	.stall_ios = 50, .stall_times = 10
#define LONGER	.memory = 0.9, .deviation = 0.2, .between = 0.005, .longer = 1.05
#define TAIL	.memory = 0.9, .deviation = 0.2, .between = 0.005, .longer = 1, .tail = 0.01, \
		.tail_times = 5

static struct diff_simulation simulation;

static int is_verdict(enum tw_diff_verdict verdict)
{
	return simulation.diff.verdict == verdict;
}

static int is_same(void)
{
	return is_verdict(TW_DIFF_SAME);
}

static int is_noisy(void)
{
	return is_verdict(TW_DIFF_NOISY);
}

static int is_slower(void)
{
	return is_verdict(TW_DIFF_SLOWER);
}

static int is_different(void)
{
	return is_verdict(TW_DIFF_DIFFER);
}

static int is_change(void)
{
	return is_slower() || is_verdict(TW_DIFF_FASTER) || is_verdict(TW_DIFF_MIXED);
}

static int is_any_figure(void)
{
	int any = 0;

	for (size_t i = 0; i < simulation.diff.figure_count; i++)
		any |= simulation.diff.figures[i].slower != 0;
	return any;
}

/* Return the direction of a change that is shown; 0: there is none, or no figure. */
static int slower_of(const char *name)
{
	const struct tw_diff_figure *figure = diff_figure(&simulation, name);

	return figure ? figure->slower : 0;
}

static int is_p50(void)
{
	return slower_of("p50") > 0;
}

static int is_p50_either_way(void)
{
	return slower_of("p50") != 0;
}

static int is_p99_5(void)
{
	return slower_of("p99.5") > 0;
}

/* In how many of @pairs something is found: by @is, from @least to @most of them. At a true
 * 5 %, 100 pairs have more than 10 alarms once in a hundred seeds. */
static const struct {
	struct diff_model model;
	int runs;
	unsigned ios, pairs;
	double threshold;
	struct {
		int (*is)(void);
		unsigned least, most;
	} counts[2];
} sets[] = {
	{ { "AR(1), 0.99", AR }, 10, 1200, 100, 1,
	  { { is_any_figure, 0, 10 }, { is_change, 0, 10 } } },
	{ { "on/off stalls", .deviation = 0.3, .stalls = 1.0 / 500, STALLS, .longer = 1 },
	  10, 1200, 100, 1, { { is_any_figure, 0, 10 }, { is_change, 0, 10 } } },
	{ { "AR, stalls, levels 1 % apart, drift", AR, .stalls = 1.0 / 2000, STALLS,
	    .between = 0.01, .drift = 0.05 },
	  10, 1200, 100, 1, { { is_any_figure, 0, 10 }, { is_change, 0, 10 } } },
	{ { "5 % more is slower, in p50", LONGER }, 10, 10000, 20, 1,
	  { { is_p50, 19, 20 }, { is_slower, 19, 20 } } },
	{ { "5 % more is not more than 10 %", LONGER }, 10, 2000, 20, 1.1,
	  { { is_change, 0, 0 }, { is_same, 0, 20 } } },
	{ { "1 % of I/Os 5 times as long: p99.5, not p50", TAIL }, 10, 10000, 20, 1,
	  { { is_p99_5, 19, 20 }, { is_p50_either_way, 0, 1 } } },
	{ { "two runs, AR(1), 0.99", AR }, 2, 10000, 100, 1,
	  { { is_different, 0, 10 }, { is_change, 0, 0 } } },
	{ { "two runs, on/off stalls", .deviation = 0.3, .stalls = 1.0 / 2500, STALLS,
	    .longer = 1 }, 2, 10000, 100, 1, { { is_different, 0, 10 }, { is_change, 0, 0 } } },
	{ { "two runs, 5 % more", .deviation = 0.2, .longer = 1.05 }, 2, 10000, 20, 1,
	  { { is_p50, 19, 20 }, { is_different, 19, 20 } } },
	/* A third more I/Os can't be seen there, and can't be excluded. */
	{ { "60 % apart, 33 % more IOPS", .deviation = 0.2, .between = NOISE_60,
	    .longer = 1 / 1.33 }, 10, 500, 300, 1, { { is_same, 0, 0 }, { is_noisy, 240, 300 } } },
	{ { "60 % apart, alike", .deviation = 0.2, .between = NOISE_60, .longer = 1 },
	  10, 500, 300, 1, { { is_same, 0, 0 }, { is_noisy, 240, 300 } } },
	{ { "1 % apart, alike", .deviation = 0.2, .between = 0.01, .longer = 1 },
	  10, 500, 300, 1, { { is_same, 270, 300 }, { is_noisy, 0, 0 } } },
};

int main(void)
{
	static uint64_t lats[10000];

	diff_random_state = 20251124;
	if (diff_simulation_init(&simulation))
		return 1;
	for (size_t i = 0; i < sizeof(sets) / sizeof(*sets); i++) {
		unsigned is[2] = { 0, 0 };

		for (unsigned pair = 0; pair < sets[i].pairs; pair++) {
			if (sets[i].runs == 2 ?
			    diff_simulate_two(&simulation, &sets[i].model, sets[i].ios, lats) :
			    diff_simulate(&simulation, &sets[i].model, sets[i].ios,
					  sets[i].threshold))
				return 1;
			for (int j = 0; j < 2; j++)
				is[j] += (unsigned)sets[i].counts[j].is();
			diff_simulation_end(&simulation);
		}
		for (int j = 0; j < 2; j++)
			if (!tap_ok(is[j] >= sets[i].counts[j].least &&
				    is[j] <= sets[i].counts[j].most, "%s, %d",
				    sets[i].model.name, j + 1))
				tap_note("%u of %u", is[j], sets[i].pairs);
	}
	return tap_done();
}
