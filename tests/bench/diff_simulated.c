/* SPDX-License-Identifier: MIT */
/*
 * How often is tickwise diff wrong, and what does it find? Simulates sets of five
 * runs on each side, with latencies that are correlated within a run. At most 6 %
 * of equal sets may be called different. In other sets, B takes longer or has a
 * longer tail. Then the same with one run on each side and its file of intervals.
 * "None" is the verdict that a change is excluded: never in a set that differs by more
 * than 10 %.
 *
 *	diff_simulated [EQUAL_PAIRS [IOS_OF_A_RUN [OTHER_PAIRS [IOS [SEED]]]]]
 */
#include <stdio.h>

#include "diff_runs.h"

/* Lat is about 100 us: a stall of 50 I/Os lasts some 50 ms. */
#define AR	.memory = 0.99, .deviation = 0.3
#define STALLS	.stalls = 1.0 / 5000, .stall_ios = 50, .stall_times = 10
#define RARE	.stalls = 1.0 / 50000, .stall_ios = 50, .stall_times = 10
#define LEVEL	.between = 0.005

static const struct diff_model equal[] = {
	{ "independent I/Os", 0, 0.3, 0, 1, 1, 0, 0, 1, 0, 1 },
	{ .name = "AR(1), 0.99", AR, .longer = 1 },
	{ .name = "AR(1), 0.999", .memory = 0.999, .deviation = 0.3, .longer = 1 },
	{ .name = "on/off stalls", .deviation = 0.3, STALLS, .longer = 1 },
	{ .name = "AR, stalls, levels 0.5 % apart", AR, STALLS, LEVEL, .longer = 1 },
	{ .name = "the same, drifting by 10 %", AR, STALLS, LEVEL, .drift = 0.1,
	  .longer = 1 },
	{ .name = "AR, 1 stall in 40 % of runs", AR, .stalls = 1.0 / 40000,
	  .stall_ios = 500, .stall_times = 10, LEVEL, .longer = 1 },
};

static const struct diff_model changed[] = {
	{ .name = "levels 1 % apart, 1 % longer", .deviation = 0.2, .between = 0.01,
	  .longer = 1.01 },
	{ .name = "levels 1 % apart, 2 % longer", .deviation = 0.2, .between = 0.01,
	  .longer = 1.02 },
	{ .name = "levels 1 % apart, 3 % longer", .deviation = 0.2, .between = 0.01,
	  .longer = 1.03 },
	{ .name = "levels 1 % apart, 4 % longer", .deviation = 0.2, .between = 0.01,
	  .longer = 1.04 },
	{ .name = "levels 0.5 % apart, 5 % longer", .deviation = 0.2, .between = 0.005,
	  .longer = 1.05 },
	{ .name = "levels 1 % apart, 5 % longer", .deviation = 0.2, .between = 0.01,
	  .longer = 1.05 },
	{ .name = "levels 2 % apart, 5 % longer", .deviation = 0.2, .between = 0.02,
	  .longer = 1.05 },
	{ .name = "AR, 5 % longer", AR, LEVEL, .longer = 1.05 },
	{ .name = "AR, rare stalls, 5 % longer", AR, RARE, LEVEL, .longer = 1.05 },
	{ .name = "AR, 1 % of I/Os 5 times", AR, LEVEL, .longer = 1, .tail = 0.01,
	  .tail_times = 5 },
	{ .name = "AR, rare stalls, 1 % 5 times", AR, RARE, LEVEL, .longer = 1,
	  .tail = 0.01, .tail_times = 5 },
};

static unsigned long argument(int argc, char **argv, int i, unsigned long other)
{
	return argc > i ? strtoul(argv[i], NULL, 10) : other;
}

/* One run on each side. */
static const struct diff_model two_equal[] = {
	{ .name = "independent I/Os", .deviation = 0.3, .longer = 1 },
	{ .name = "AR(1), 0.99", AR, .longer = 1 },
	{ .name = "AR(1), 0.999", .memory = 0.999, .deviation = 0.3, .longer = 1 },
	{ .name = "on/off stalls", .deviation = 0.3, STALLS, .longer = 1 },
	{ .name = "AR, stalls", AR, STALLS, .longer = 1 },
	{ .name = "AR, 1 stall in 40 % of runs", AR, .stalls = 1.0 / 40000,
	  .stall_ios = 500, .stall_times = 10, .longer = 1 },
};

static const struct diff_model two_changed[] = {
	{ .name = "independent, 5 % longer", .deviation = 0.3, .longer = 1.05 },
	{ .name = "AR, 5 % longer", AR, .longer = 1.05 },
	{ .name = "AR, 20 % longer", AR, .longer = 1.2 },
	{ .name = "AR, stalls, 20 % longer", AR, STALLS, .longer = 1.2 },
	{ .name = "AR, 1 % of I/Os 5 times", AR, .longer = 1, .tail = 0.01,
	  .tail_times = 5 },
};

static const struct diff_model noisy[] = {
	{ .name = "levels 60 % apart", .deviation = 0.2, .between = NOISE_60,
	  .longer = 1 },
	{ .name = "levels 60 % apart, 33 % more IOPS", .deviation = 0.2,
	  .between = NOISE_60, .longer = 1 / 1.33 },
};

struct found {
	unsigned verdicts[TW_DIFF_UNDECIDED + 1], any, p50, p99_5;
};

static int is_found(const struct diff_simulation *simulation, const char *name)
{
	const struct tw_diff_figure *figure = diff_figure(simulation, name);

	return figure && figure->slower;
}

static void count(struct found *found, const struct diff_simulation *simulation)
{
	int any = 0;

	for (size_t i = 0; i < simulation->diff.figure_count; i++)
		any |= simulation->diff.figures[i].slower != 0;
	found->verdicts[simulation->diff.verdict]++;
	found->any += (unsigned)any;
	found->p50 += (unsigned)is_found(simulation, "p50");
	found->p99_5 += (unsigned)is_found(simulation, "p99.5");
}

static double part(unsigned long count, unsigned long pairs)
{
	return 100 * (double)count / (double)pairs;
}

/* @lats: room for the I/Os of a run if there is one on each side, else NULL. */
static int print(const struct diff_model *model, unsigned long pairs, unsigned ios,
		 uint64_t *lats)
{
	static struct diff_simulation simulation;
	struct found found = { .any = 0 };

	if (diff_simulation_init(&simulation))
		return 1;
	for (unsigned long i = 0; i < pairs; i++) {
		if (lats ? diff_simulate_two(&simulation, model, ios, lats) :
			   diff_simulate(&simulation, model, ios, 1))
			return 1;
		count(&found, &simulation);
		diff_simulation_end(&simulation);
	}
	for (int i = 0; i < DIFF_RUNS; i++)
		tw_tally_free(&simulation.groups[i].all.tally);
	printf("%-33s %6.1f %6.1f %6.1f %6.1f %6.1f %6.1f %6.1f\n", model->name,
	       part(pairs - found.verdicts[TW_DIFF_SAME] - found.verdicts[TW_DIFF_NOISY] -
		    found.verdicts[TW_DIFF_UNDECIDED], pairs),
	       part(found.any, pairs), part(found.verdicts[TW_DIFF_SLOWER], pairs),
	       part(found.p50, pairs), part(found.p99_5, pairs),
	       part(found.verdicts[TW_DIFF_NOISY], pairs),
	       part(found.verdicts[TW_DIFF_SAME], pairs));
	fflush(stdout);
	return 0;
}

static int print_all(const struct diff_model *models, size_t count, unsigned long pairs,
		     unsigned ios, uint64_t *lats)
{
	int failed = 0;

	for (size_t i = 0; i < count && !failed; i++)
		failed = print(&models[i], pairs, ios, lats);
	return failed;
}

#define COUNT(models)	(sizeof(models) / sizeof(models[0]))

int main(int argc, char **argv)
{
	unsigned long pairs = argument(argc, argv, 1, 1000);
	unsigned ios = (unsigned)argument(argc, argv, 2, 20000);
	unsigned long others = argument(argc, argv, 3, 100);
	unsigned others_ios = (unsigned)argument(argc, argv, 4, 100000);
	uint64_t *lats = calloc(ios > others_ios ? ios : others_ios, sizeof(*lats));
	int failed;

	diff_random_state = argument(argc, argv, 5, 1);
	printf("%lu pairs of equal sets of 5 runs of %u I/Os: found in %%\n", pairs, ios);
	printf("%-33s %6s %6s %6s %6s %6s %6s %6s\n", "", "change", "figure", "slower",
	       "p50", "p99.5", "noisy", "none");
	failed = !lats || print_all(equal, COUNT(equal), pairs, ios, NULL);
	printf("%lu pairs of equal runs of %u I/Os\n", pairs, ios);
	failed = failed || print_all(two_equal, COUNT(two_equal), pairs, ios, lats);
	printf("%lu pairs of sets of 5 runs of %u I/Os that differ\n", others, others_ios);
	failed = failed || print_all(changed, COUNT(changed), others, others_ios, NULL);
	printf("%lu pairs of runs of %u I/Os that differ\n", others, others_ios);
	failed = failed || print_all(two_changed, COUNT(two_changed), others, others_ios,
				     lats);
	printf("%lu pairs of noisy sets of 5 runs of %u I/Os\n", pairs, ios);
	failed = failed || print_all(noisy, COUNT(noisy), pairs, ios, NULL);
	free(lats);
	return failed;
}
