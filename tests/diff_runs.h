/* SPDX-License-Identifier: MIT */
/*
 * Simulated runs for tickwise diff. The latencies of consecutive I/Os are
 * correlated. The same seed makes the same runs.
 */
#ifndef TW_TESTS_DIFF_RUNS_H
#define TW_TESTS_DIFF_RUNS_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/diff/diff.h"
#include "latency/histogram.h"

#define DIFF_RUNS	10
/* As in a job's report. */
#define DIFF_WINDOWS	64

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
	struct tw_report_job jobs[DIFF_RUNS];
	struct tw_report_group groups[DIFF_RUNS];
	const struct tw_report_group *of_run[DIFF_RUNS];
	struct tw_diff_run runs[DIFF_RUNS];
	struct tw_diff diff;
	/* Of the first run of each side: */
	struct tw_histogram pieces[2][TW_DIFF_MAX_PIECES][TW_DIRECTIONS];
};

/* Return 0 or -ENOMEM. */
__attribute__((unused))
static int diff_simulation_init(struct diff_simulation *simulation)
{
	static const unsigned rows[] = { TW_ROW_ios, TW_ROW_TIMES + TW_QUEUE,
		TW_ROW_TIMES + TW_KERNEL, TW_ROW_TIMES + TW_LAT, TW_ROW_OVER_TIME };
	struct tw_row_set has = { { 0 } };
	int error = 0;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		tw_row_put(&has, rows[i]);
	memset(simulation, 0, sizeof(*simulation));
	for (int i = 0; i < DIFF_RUNS; i++) {
		simulation->jobs[i].name = "job";
		simulation->jobs[i].path = "file";
		simulation->groups[i].all.jobs = &simulation->jobs[i];
		simulation->groups[i].all.job_count = 1;
		simulation->of_run[i] = &simulation->groups[i];
		error |= tw_tally_init(&simulation->groups[i].all.tally, &has, 3,
				       DIFF_WINDOWS);
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
		tw_windows_add(&tally->over_time, lat->sum_ns, TW_READ,
			       queue_ns + kernel_ns);
		if (lats)
			lats[i] = queue_ns + kernel_ns;
	}
	tw_windows_close(&tally->over_time);
	tally->counts[TW_READ].ios = ios;
	group->run_ns = group->all.jobs[0].run_ns = lat->sum_ns;
}

/* Begin runs of A and B in turn. */
static void diff_begin(struct diff_simulation *simulation, size_t runs, double threshold)
{
	simulation->diff = (struct tw_diff) {
		.runs = simulation->runs, .count = runs, .threshold = threshold,
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
__attribute__((unused))
static int diff_simulate(struct diff_simulation *simulation,
			 const struct diff_model *model, unsigned ios, double threshold)
{
	struct tw_report_problem problem = { "" };

	diff_begin(simulation, DIFF_RUNS, threshold);
	for (int i = 0; i < DIFF_RUNS; i++)
		diff_simulate_run(&simulation->groups[i], model,
				  model->between * diff_normal() +
				  model->drift * i / (DIFF_RUNS - 1), i % 2, ios, NULL);
	if (tw_diff_find_figures(&simulation->diff, &problem))
		return 1;
	tw_diff_judge(&simulation->diff);
	return 0;
}

/* Cut the I/Os of a run into pieces of equal time, as lines of a file of intervals
 * would. */
static void diff_cut_run(struct diff_simulation *simulation, int run,
			 const uint64_t *lats, unsigned ios)
{
	uint64_t width_ns = simulation->groups[run].run_ns / TW_DIFF_MAX_PIECES + 1;
	uint64_t now_ns = 0;

	for (size_t i = 0; i < TW_DIFF_MAX_PIECES; i++)
		tw_histogram_reset(&simulation->pieces[run][i][0]);
	for (unsigned i = 0; i < ios; i++) {
		now_ns += lats[i];
		tw_histogram_add(&simulation->pieces[run][now_ns / width_ns][0], lats[i]);
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

	diff_begin(simulation, 2, 1);
	diff->is_interleaved = 0;
	diff->pieces = TW_DIFF_MAX_PIECES;
	for (int i = 0; i < 2; i++) {
		diff_simulate_run(&simulation->groups[i], model, 0, i, ios, lats);
		diff_cut_run(simulation, i, lats, ios);
	}
	if (tw_diff_find_figures(diff, &problem))
		return 1;
	tw_diff_find_pieces(diff);
	tw_diff_judge(diff);
	return 0;
}

__attribute__((unused))
static void diff_simulation_end(struct diff_simulation *simulation)
{
	free(simulation->diff.figures);
	free(simulation->diff.values);
	free(simulation->diff.piece_values);
	json_decref(simulation->diff.left_out);
}

/* Is it this number? Else print it. */
__attribute__((unused))
static int diff_nearly(double is, double should, double within)
{
	if (fabs(is - should) <= within)
		return 1;
	printf("# is %.12g, should be %.12g\n", is, should);
	return 0;
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
