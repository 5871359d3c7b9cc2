/* SPDX-License-Identifier: MIT */
/*
 * How often tickwise diff finds a change in equal sets of five runs whose I/Os are
 * correlated, and in sets that differ. It is a small edition of
 * tests/bench/diff_simulated.c, with a fixed seed. Fails if correlated I/Os count
 * as independent evidence, or if a change of 5 % or of the tail alone is missed or
 * misnamed. Fails also if noise that hides a change is called no change. The same for
 * two runs.
 */
#include "diff_runs.h"
#include "tap.h"

static struct diff_simulation simulation;

static const struct diff_model equal[] = {
	{ .name = "AR(1), 0.99", .memory = 0.99, .deviation = 0.3, .longer = 1 },
	{ .name = "on/off stalls", .deviation = 0.3, .stalls = 1.0 / 500,
	  .stall_ios = 50, .stall_times = 10, .longer = 1 },
	{ .name = "AR, stalls, levels 1 % apart, drift", .memory = 0.99,
	  .deviation = 0.3, .stalls = 1.0 / 2000, .stall_ios = 50, .stall_times = 10,
	  .between = 0.01, .drift = 0.05, .longer = 1 },
};

/* Is this a verdict that something changed? */
static int is_change(enum tw_diff_verdict verdict)
{
	return verdict == TW_DIFF_SLOWER || verdict == TW_DIFF_FASTER ||
	       verdict == TW_DIFF_MIXED;
}

/* At a true 5 %, 100 pairs have more than 10 alarms once in a hundred seeds. */
static void alarms(const struct diff_model *model)
{
	unsigned any = 0, verdicts = 0;

	for (int i = 0; i < 100; i++) {
		int is_any = 0;

		if (diff_simulate(&simulation, model, 1200, 1)) {
			tap_ok(0, "no memory");
			return;
		}
		for (size_t j = 0; j < simulation.diff.figure_count; j++)
			is_any |= simulation.diff.figures[j].slower != 0;
		any += (unsigned)is_any;
		verdicts += (unsigned)is_change(simulation.diff.verdict);
		diff_simulation_end(&simulation);
	}
	if (!tap_ok(any <= 10 && verdicts <= any, "%s: few false alarms", model->name))
		tap_note("%u of 100, %u of them verdicts", any, verdicts);
}

static int is_slower(const char *name)
{
	const struct tw_diff_figure *figure = diff_figure(&simulation, name);

	return figure && figure->slower > 0;
}

/* One run on each side, by its pieces. */
static void alarms_of_two(const struct diff_model *model, uint64_t *lats)
{
	unsigned differ = 0;

	for (int i = 0; i < 100; i++) {
		if (diff_simulate_two(&simulation, model, 10000, lats)) {
			tap_ok(0, "no memory");
			return;
		}
		differ += simulation.diff.verdict == TW_DIFF_DIFFER;
		diff_simulation_end(&simulation);
	}
	if (!tap_ok(differ <= 10, "two runs, %s: few false alarms", model->name))
		tap_note("%u of 100", differ);
}

static void two_runs(void)
{
	static const struct diff_model models[] = {
		{ .name = "AR(1), 0.99", .memory = 0.99, .deviation = 0.3, .longer = 1 },
		{ .name = "on/off stalls", .deviation = 0.3, .stalls = 1.0 / 2500,
		  .stall_ios = 50, .stall_times = 10, .longer = 1 },
	}, longer = { .deviation = 0.2, .longer = 1.05 };
	uint64_t *lats = calloc(10000, sizeof(*lats));
	unsigned differ = 0;

	for (size_t i = 0; i < sizeof(models) / sizeof(models[0]) && lats; i++)
		alarms_of_two(&models[i], lats);
	for (int i = 0; i < 20 && lats; i++) {
		if (diff_simulate_two(&simulation, &longer, 10000, lats))
			break;
		differ += (unsigned)is_slower("p50");
		diff_simulation_end(&simulation);
	}
	if (!tap_ok(differ >= 19, "two runs, 5 %% more: these differ"))
		tap_note("%u of 20", differ);
	free(lats);
}

/* A change is found in 19 or more of 20 sets. */
static void power(void)
{
	static const struct diff_model longer = {
		.memory = 0.9, .deviation = 0.2, .between = 0.005, .longer = 1.05,
	}, tail = {
		.memory = 0.9, .deviation = 0.2, .between = 0.005, .longer = 1,
		.tail = 0.01, .tail_times = 5,
	};
	unsigned p50 = 0, slower = 0, beyond = 0, p99_5 = 0, p50_of_tail = 0;

	for (int i = 0; i < 20; i++) {
		if (diff_simulate(&simulation, &longer, 10000, 1))
			return;
		p50 += (unsigned)is_slower("p50");
		slower += simulation.diff.verdict == TW_DIFF_SLOWER;
		diff_simulation_end(&simulation);
		if (diff_simulate(&simulation, &longer, 2000, 1.1))
			return;
		beyond += (unsigned)is_change(simulation.diff.verdict);
		diff_simulation_end(&simulation);
		if (diff_simulate(&simulation, &tail, 10000, 1))
			return;
		p99_5 += (unsigned)is_slower("p99.5");
		p50_of_tail += diff_figure(&simulation, "p50")->slower != 0;
		diff_simulation_end(&simulation);
	}
	if (!tap_ok(p50 >= 19 && slower >= 19, "5 %% more is slower, in p50"))
		tap_note("%u p50, %u verdicts of 20", p50, slower);
	if (!tap_ok(!beyond, "5 %% more is not more than 10 %%"))
		tap_note("%u of 20", beyond);
	if (!tap_ok(p99_5 >= 19, "1 %% of I/Os 5 times as long: p99.5"))
		tap_note("%u of 20", p99_5);
	if (!tap_ok(p50_of_tail <= 1, "and not p50"))
		tap_note("%u of 20", p50_of_tail);
}

/* In runs that differ by 60 % from each other, a third more I/Os can't be seen, and
 * can't be excluded. In quiet runs it can. */
static void noise(void)
{
	static const struct diff_model models[] = {
		{ .name = "60 % apart, 33 % more IOPS", .deviation = 0.2,
		  .between = NOISE_60, .longer = 1 / 1.33 },
		{ .name = "60 % apart, alike", .deviation = 0.2, .between = NOISE_60,
		  .longer = 1 },
		{ .name = "1 % apart, alike", .deviation = 0.2, .between = 0.01,
		  .longer = 1 },
	};

	for (int i = 0; i < 3; i++) {
		unsigned same = 0, noisy = 0;

		for (int pair = 0; pair < 300; pair++) {
			if (diff_simulate(&simulation, &models[i], 500, 1))
				return;
			same += simulation.diff.verdict == TW_DIFF_SAME;
			noisy += simulation.diff.verdict == TW_DIFF_NOISY;
			diff_simulation_end(&simulation);
		}
		tap_note("%s: %u same, %u noisy", models[i].name, same, noisy);
		tap_ok(i < 2 ? !same && noisy >= 240 : !noisy && same >= 270,
		       "%s: %s", models[i].name, i < 2 ? "noisy" : "the same");
	}
}

int main(void)
{
	diff_random_state = 20251124;
	if (diff_simulation_init(&simulation)) {
		tap_ok(0, "no memory");
		return tap_done();
	}
	for (size_t i = 0; i < sizeof(equal) / sizeof(equal[0]); i++)
		alarms(&equal[i]);
	power();
	two_runs();
	noise();
	return tap_done();
}
