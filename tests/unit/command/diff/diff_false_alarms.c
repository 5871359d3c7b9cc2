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

#define ONE(verdict)	.verdicts = 1 << TW_DIFF_##verdict
#define CHANGE		.verdicts = 1 << TW_DIFF_SLOWER | 1 << TW_DIFF_FASTER | \
				    1 << TW_DIFF_MIXED

/* How often one of @verdicts is given, or the figure @slower is, or the figure @changes
 * does, either way; "" is any figure. */
struct count {
	unsigned least, most, verdicts;
	const char *slower, *changes;
};

static unsigned is_found(const struct count *count)
{
	const struct tw_diff *diff = &simulation.diff;
	const char *name = count->slower ? count->slower : count->changes;

	for (size_t i = 0; name && i < diff->figure_count; i++) {
		const struct tw_diff_figure *figure = &diff->figures[i];

		if ((!*name || !strcmp(figure->name, name)) &&
		    (count->slower ? figure->slower > 0 : figure->slower != 0))
			return 1;
	}
	return count->verdicts >> diff->verdict & 1;
}

/* In how many of @pairs something is found, from @least to @most of them. At a true
 * 5 %, 100 pairs have more than 10 alarms once in a hundred seeds. */
static const struct {
	struct diff_model model;
	int runs;
	unsigned ios, pairs;
	double threshold;
	struct count counts[2];
} sets[] = {
	{ { "AR(1), 0.99", AR }, 10, 1200, 100, 1,
	  { { 0, 10, .changes = "" }, { 0, 10, CHANGE } } },
	{ { "on/off stalls", .deviation = 0.3, .stalls = 1.0 / 500, STALLS, .longer = 1 },
	  10, 1200, 100, 1, { { 0, 10, .changes = "" }, { 0, 10, CHANGE } } },
	{ { "AR, stalls, levels 1 % apart, drift", AR, .stalls = 1.0 / 2000, STALLS,
	    .between = 0.01, .drift = 0.05 },
	  10, 1200, 100, 1, { { 0, 10, .changes = "" }, { 0, 10, CHANGE } } },
	{ { "5 % more is slower, in p50", LONGER }, 10, 10000, 20, 1,
	  { { 19, 20, .slower = "p50" }, { 19, 20, ONE(SLOWER) } } },
	{ { "5 % more is not more than 10 %", LONGER }, 10, 2000, 20, 1.1,
	  { { 0, 0, CHANGE }, { 0, 20, ONE(SAME) } } },
	{ { "1 % of I/Os 5 times as long: p99.5, not p50", TAIL }, 10, 10000, 20, 1,
	  { { 19, 20, .slower = "p99.5" }, { 0, 1, .changes = "p50" } } },
	{ { "two runs, AR(1), 0.99", AR }, 2, 10000, 100, 1,
	  { { 0, 10, ONE(DIFFER) }, { 0, 0, CHANGE } } },
	{ { "two runs, on/off stalls", .deviation = 0.3, .stalls = 1.0 / 2500, STALLS,
	    .longer = 1 }, 2, 10000, 100, 1, { { 0, 10, ONE(DIFFER) }, { 0, 0, CHANGE } } },
	{ { "two runs, 5 % more", .deviation = 0.2, .longer = 1.05 }, 2, 10000, 20, 1,
	  { { 19, 20, .slower = "p50" }, { 19, 20, ONE(DIFFER) } } },
	/* A third more I/Os can't be seen there, and can't be excluded. */
	{ { "60 % apart, 33 % more IOPS", .deviation = 0.2, .between = NOISE_60,
	    .longer = 1 / 1.33 }, 10, 500, 300, 1,
	  { { 0, 0, ONE(SAME) }, { 240, 300, ONE(NOISY) } } },
	{ { "60 % apart, alike", .deviation = 0.2, .between = NOISE_60, .longer = 1 },
	  10, 500, 300, 1, { { 0, 0, ONE(SAME) }, { 240, 300, ONE(NOISY) } } },
	{ { "1 % apart, alike", .deviation = 0.2, .between = 0.01, .longer = 1 },
	  10, 500, 300, 1, { { 270, 300, ONE(SAME) }, { 0, 0, ONE(NOISY) } } },
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
				is[j] += is_found(&sets[i].counts[j]);
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
