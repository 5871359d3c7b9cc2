/* SPDX-License-Identifier: MIT */
/*
 * How often tickwise diff finds a change in equal sets of five runs whose I/Os are
 * correlated, and in sets that differ. The same seed makes the same runs. Fails if
 * correlated I/Os count as independent evidence, or if a change of 5 % or of the tail
 * alone is missed or misnamed. Fails also if noise that hides a change is called no
 * change.
 */
#include <stdlib.h>
#include <string.h>

#include "command/diff/diff.h"
#include "diff_runs.h"
#include "latency/histogram.h"
#include "tap.h"

#define DIFF_RUNS	10

/* The deviation of a run's level for a page's "60 %" from run to run. */
#define NOISE_60	0.47

struct diff_model {
	const char *name;
	double memory;		/* coefficient of the AR(1) of the logarithm of lat */
	double deviation;	/* standard deviation of that logarithm */
	double stalls;		/* chance at each I/O that a stall begins */
	double stall_ios;	/* mean number of I/Os in a stall */
	double stall_times;	/* factor on lat during a stall */
	double between;		/* standard deviation of a run's level */
	double drift;		/* of the level, from the first run to the last */
	/*
	 * What B has more: this factor on all I/Os, or another one on a part of
	 * them.
	 */
	double longer;
	double tail, tail_times;
};

struct diff_simulation {
	struct tw_report_job jobs[DIFF_RUNS];
	struct tw_report_group groups[DIFF_RUNS];
	const struct tw_report_group *of_run[DIFF_RUNS];
	struct tw_diff_run runs[DIFF_RUNS];
	struct tw_diff diff;
};

/* Return 0 or -ENOMEM. */
static int diff_simulation_init(struct diff_simulation *simulation)
{
	static const unsigned rows[] = { TW_METRIC_ios, TW_METRIC_TIMES + TW_QUEUE,
		TW_METRIC_TIMES + TW_KERNEL, TW_METRIC_TIMES + TW_LAT };
	struct tw_metric_set has = { { 0 } };
	int error = 0;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		tw_metric_put(&has, rows[i]);
	memset(simulation, 0, sizeof(*simulation));
	for (int i = 0; i < DIFF_RUNS; i++) {
		simulation->jobs[i].name = "job";
		simulation->jobs[i].engine = "tickwise";
		simulation->jobs[i].path = "file";
		simulation->groups[i].all.jobs = &simulation->jobs[i];
		simulation->groups[i].all.job_count = 1;
		simulation->of_run[i] = &simulation->groups[i];
		error |= tw_tally_init(&simulation->groups[i].all.tally, &has, 3, 0);
	}
	return error;
}

/* Fill @group. */
static void diff_simulate_run(struct tw_report_group *group,
			      const struct diff_model *model, double level, int is_b,
			      unsigned ios)
{
	struct tw_tally *tally = &group->all.tally;
	struct tw_histogram *lat = &tally->times[TW_LAT][0];
	double step = model->deviation * sqrt(1 - model->memory * model->memory);
	double state = model->deviation * diff_normal();
	int stalled = 0;

	tw_tally_reset(tally);
	for (unsigned i = 0; i < ios; i++) {
		double times = is_b ? model->longer : 1;
		uint64_t queue_ns = (uint64_t)(2000 + 1000 * diff_uniform()), kernel_ns;

		state = model->memory * state + step * diff_normal();
		if (diff_uniform() < (stalled ? 1 / model->stall_ios : model->stalls))
			stalled = !stalled;
		if (stalled)
			times *= model->stall_times;
		if (is_b && diff_uniform() < model->tail)
			times *= model->tail_times;
		kernel_ns = (uint64_t)(100e3 * exp(level + state) * times);
		tw_histogram_add(&tally->times[TW_QUEUE][0], queue_ns);
		tw_histogram_add(&tally->times[TW_KERNEL][0], kernel_ns);
		tw_histogram_add(lat, queue_ns + kernel_ns);
	}
	tally->counts[TW_READ].ios = ios;
	group->run_ns = group->all.jobs[0].run_ns = lat->sum_ns;
}

/* Begin runs of A and B in turn. */
static void diff_begin(struct diff_simulation *simulation, size_t runs, double threshold)
{
	simulation->diff = (struct tw_diff) {
		.runs = simulation->runs, .count = runs, .threshold = threshold,
		.level = TW_DIFF_LEVEL,
		.of = { runs / 2, runs / 2 }, .is_interleaved = 1,
		.of_b = 0xaaaaaaaaaaaaaaaaULL & ((1ULL << runs) - 1),
	};
	for (size_t i = 0; i < runs; i++)
		simulation->runs[i] = (struct tw_diff_run) {
			.side = i % 2 ? TW_DIFF_B : TW_DIFF_A, .job = &simulation->jobs[i],
			.groups = &simulation->of_run[i], .count = 1,
		};
}

/*
 * Simulate runs of A and B in turn, and compare them. simulation->diff has the
 * result until diff_simulation_end(). Return 0, or not 0 without figures.
 */
static int diff_simulate(struct diff_simulation *simulation,
			 const struct diff_model *model, unsigned ios, double threshold)
{
	struct tw_report_problem problem = { "" };

	diff_begin(simulation, DIFF_RUNS, threshold);
	for (int i = 0; i < DIFF_RUNS; i++)
		diff_simulate_run(&simulation->groups[i], model,
				  model->between * diff_normal() +
				  model->drift * i / (DIFF_RUNS - 1), i % 2, ios);
	if (tw_diff_find_figures(&simulation->diff, &problem))
		return 1;
	tw_diff_judge(&simulation->diff);
	return 0;
}

static void diff_simulation_end(struct diff_simulation *simulation)
{
	free(simulation->diff.figures);
	free(simulation->diff.values);
	json_decref(simulation->diff.left_out);
}

/* ---- alarms ---- */

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
	unsigned ios, pairs;
	double threshold;
	struct count counts[2];
} sets[] = {
	{ { "AR(1), 0.99", AR }, 1200, 100, 1,
	  { { 0, 10, .changes = "" }, { 0, 10, CHANGE } } },
	{ { "on/off stalls", .deviation = 0.3, .stalls = 1.0 / 500, STALLS, .longer = 1 },
	  1200, 100, 1, { { 0, 10, .changes = "" }, { 0, 10, CHANGE } } },
	{ { "AR, stalls, levels 1 % apart, drift", AR, .stalls = 1.0 / 2000, STALLS,
	    .between = 0.01, .drift = 0.05 },
	  1200, 100, 1, { { 0, 10, .changes = "" }, { 0, 10, CHANGE } } },
	{ { "5 % more is slower, in p50", LONGER }, 10000, 20, 1,
	  { { 19, 20, .slower = "p50" }, { 19, 20, ONE(SLOWER) } } },
	{ { "5 % more is not more than 10 %", LONGER }, 2000, 20, 1.1,
	  { { 0, 0, CHANGE }, { 0, 20, ONE(SAME) } } },
	{ { "1 % of I/Os 5 times as long: p99.5, not p50", TAIL }, 10000, 20, 1,
	  { { 19, 20, .slower = "p99.5" }, { 0, 1, .changes = "p50" } } },
	/* A third more I/Os can't be seen there, and can't be excluded. */
	{ { "60 % apart, 33 % more IOPS", .deviation = 0.2, .between = NOISE_60,
	    .longer = 1 / 1.33 }, 500, 100, 1,
	  { { 0, 0, ONE(SAME) }, { 80, 100, ONE(NOISY) } } },
	{ { "60 % apart, alike", .deviation = 0.2, .between = NOISE_60, .longer = 1 },
	  500, 100, 1, { { 0, 0, ONE(SAME) }, { 80, 100, ONE(NOISY) } } },
	{ { "1 % apart, alike", .deviation = 0.2, .between = 0.01, .longer = 1 },
	  500, 100, 1, { { 90, 100, ONE(SAME) }, { 0, 0, ONE(NOISY) } } },
};

int main(void)
{
	diff_random_state = 20251124;
	if (diff_simulation_init(&simulation))
		return 1;
	for (size_t i = 0; i < sizeof(sets) / sizeof(*sets); i++) {
		unsigned is[2] = { 0, 0 };

		for (unsigned pair = 0; pair < sets[i].pairs; pair++) {
			if (diff_simulate(&simulation, &sets[i].model, sets[i].ios,
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
