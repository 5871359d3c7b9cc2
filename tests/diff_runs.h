/* SPDX-License-Identifier: MIT */
/*
 * Simulated runs for tickwise diff. The latencies of consecutive I/Os are
 * correlated. The same seed makes the same runs.
 */
#ifndef TW_TESTS_DIFF_RUNS_H
#define TW_TESTS_DIFF_RUNS_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "command/diff/diff.h"
#include "latency/histogram.h"

#define DIFF_RUNS	10
/* How many parts of a run the report has. */
#define DIFF_PARTS	64

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

static uint64_t diff_random_state = 1;

/* Return a uniform number, 0 <= x < 1, by xorshift64*. */
static double diff_uniform(void)
{
	diff_random_state ^= diff_random_state >> 12;
	diff_random_state ^= diff_random_state << 25;
	diff_random_state ^= diff_random_state >> 27;
	return (double)((diff_random_state * 0x2545f4914f6cdd1dULL) >> 11) * 0x1p-53;
}

/* Return a nearly normal number of deviation 1, the sum of four uniform ones. */
static double diff_normal(void)
{
	return (diff_uniform() + diff_uniform() + diff_uniform() + diff_uniform() - 2) *
	       sqrt(3);
}

struct diff_simulation {
	struct tw_report reports[DIFF_RUNS];
	const struct tw_report *members[DIFF_RUNS];
	struct tw_report_group groups[DIFF_RUNS];
	const struct tw_report_group *of_run[DIFF_RUNS];
	struct tw_diff_run runs[DIFF_RUNS];
	struct tw_diff diff;
	/* Of the first run of each side: */
	struct tw_report_interval parts[2][DIFF_PARTS];
	struct tw_histogram pieces[2][TW_DIFF_MAX_PIECES][TW_REPORT_DIRECTIONS];
};

/* Return 0 or -ENOMEM. */
__attribute__((unused))
static int diff_simulation_init(struct diff_simulation *simulation)
{
	static const int times[] = { TW_QUEUE, TW_KERNEL, TW_REPORT_LAT };
	int error = 0;

	memset(simulation, 0, sizeof(*simulation));
	for (int i = 0; i < DIFF_RUNS; i++) {
		simulation->reports[i].job.name = "job";
		simulation->reports[i].path = "file";
		simulation->members[i] = &simulation->reports[i];
		simulation->groups[i].members = &simulation->members[i];
		simulation->groups[i].size = 1;
		simulation->of_run[i] = &simulation->groups[i];
		for (int j = 0; j < 3; j++)
			error |= tw_histogram_init(
				&simulation->groups[i].tally.times[times[j]][0], 3);
	}
	for (int i = 0; i < 2 * TW_DIFF_MAX_PIECES; i++)
		error |= tw_histogram_init(&simulation->pieces[i / TW_DIFF_MAX_PIECES]
					   [i % TW_DIFF_MAX_PIECES][0], 3);
	return error;
}

/* Fill @group. @lats: NULL, or an array that gets the lat of each I/O. */
static void diff_simulate_run(struct tw_report_group *group,
			      const struct diff_model *model, double level, int is_b,
			      unsigned ios, uint64_t *lats)
{
	struct tw_histogram *queue = &group->tally.times[TW_QUEUE][0];
	struct tw_histogram *kernel = &group->tally.times[TW_KERNEL][0];
	struct tw_histogram *lat = &group->tally.times[TW_REPORT_LAT][0];
	double step = model->deviation * sqrt(1 - model->memory * model->memory);
	double state = model->deviation * diff_normal();
	int stalled = 0;

	tw_histogram_reset(queue);
	tw_histogram_reset(kernel);
	tw_histogram_reset(lat);
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
		tw_histogram_add(queue, queue_ns);
		tw_histogram_add(kernel, kernel_ns);
		tw_histogram_add(lat, queue_ns + kernel_ns);
		if (lats)
			lats[i] = queue_ns + kernel_ns;
	}
	group->tally.counts[TW_REPORT_IOS][0] = ios;
	group->run_ns = lat->sum_ns;
}

/*
 * Simulate runs of A and B in turn, and compare them. simulation->diff has the
 * result until diff_simulation_end(). Return 0, or not 0 without memory.
 */
__attribute__((unused))
static int diff_simulate(struct diff_simulation *simulation,
			 const struct diff_model *model, unsigned ios, double threshold)
{
	struct tw_report_problem problem = { "" };
	struct tw_diff *diff = &simulation->diff;

	*diff = (struct tw_diff) {
		.runs = simulation->runs, .count = DIFF_RUNS, .threshold = threshold,
		.of = { DIFF_RUNS / 2, DIFF_RUNS / 2 }, .is_interleaved = 1,
	};
	for (int i = 0; i < DIFF_RUNS; i++) {
		double level = model->between * diff_normal() +
			       model->drift * i / (DIFF_RUNS - 1);

		diff->of_b |= (uint64_t)(i % 2) << i;
		simulation->runs[i] = (struct tw_diff_run) {
			.side = i % 2 ? TW_DIFF_B : TW_DIFF_A,
			.job = &simulation->reports[i].job,
			.groups = &simulation->of_run[i], .count = 1,
		};
		diff_simulate_run(&simulation->groups[i], model, level, i % 2, ios, NULL);
	}
	return tw_diff_find_figures(diff, &problem) || tw_diff_judge(diff);
}

/* Cut the I/Os of a run into parts and pieces of equal time. */
static void diff_cut_run(struct diff_simulation *simulation, int run,
			 const uint64_t *lats, unsigned ios)
{
	struct tw_report_over_time *over_time = &simulation->groups[run].over_time;
	uint64_t width_ns = simulation->groups[run].run_ns / DIFF_PARTS + 1, now_ns = 0;

	over_time->intervals = simulation->parts[run];
	over_time->count = DIFF_PARTS;
	memset(simulation->parts[run], 0, sizeof(simulation->parts[run]));
	for (size_t i = 0; i < DIFF_PARTS; i++) {
		over_time->intervals[i].from_ns = i * width_ns;
		over_time->intervals[i].over_ns = width_ns;
	}
	for (size_t i = 0; i < TW_DIFF_MAX_PIECES; i++)
		tw_histogram_reset(&simulation->pieces[run][i][0]);
	for (unsigned i = 0; i < ios; i++) {
		size_t part = (now_ns += lats[i]) / width_ns;

		over_time->intervals[part].of[0].count++;
		over_time->intervals[part].of[0].sum_ns += lats[i];
		tw_histogram_add(&simulation->pieces[run][part * TW_DIFF_MAX_PIECES /
							  DIFF_PARTS][0], lats[i]);
	}
	simulation->runs[run].pieces = simulation->pieces[run][0];
}

/* Simulate one run of A and one of B, with files of intervals. */
__attribute__((unused))
static int diff_simulate_two(struct diff_simulation *simulation,
			     const struct diff_model *model, unsigned ios,
			     uint64_t *lats)
{
	struct tw_report_problem problem = { "" };
	struct tw_diff *diff = &simulation->diff;

	*diff = (struct tw_diff) {
		.runs = simulation->runs, .count = 2, .threshold = 1, .of = { 1, 1 },
		.of_b = 2, .pieces = TW_DIFF_MAX_PIECES,
	};
	for (int i = 0; i < 2; i++) {
		simulation->runs[i] = (struct tw_diff_run) {
			.side = i ? TW_DIFF_B : TW_DIFF_A,
			.job = &simulation->reports[i].job,
			.groups = &simulation->of_run[i], .count = 1,
		};
		diff_simulate_run(&simulation->groups[i], model, 0, i, ios, lats);
		diff_cut_run(simulation, i, lats, ios);
	}
	return tw_diff_find_figures(diff, &problem) || tw_diff_find_pieces(diff) ||
	       tw_diff_judge(diff);
}

__attribute__((unused))
static void diff_simulation_end(struct diff_simulation *simulation)
{
	free(simulation->diff.figures);
	free(simulation->diff.values);
	free(simulation->diff.piece_values);
	json_decref(simulation->diff.left_out);
}

/* NULL: the figure was left out. */
__attribute__((unused))
static const struct tw_diff_figure *diff_figure(const struct diff_simulation *simulation,
						const char *name)
{
	const struct tw_diff *diff = &simulation->diff;

	for (size_t i = 0; i < diff->figure_count; i++)
		if (strcmp(diff->figures[i].name, name) == 0)
			return &diff->figures[i];
	return NULL;
}

#endif
