/* SPDX-License-Identifier: MIT */
/*
 * Checks figures of runs and the verdict on them: percentiles between the edges of
 * bins, the order of runs, and how few runs are judged. Fails if a percentile moves
 * by whole bins only, or if a verdict is given on less than it needs.
 */
#include <string.h>

#include "command/diff/diff.h"
#include "diff_runs.h"
#include "latency/histogram.h"
#include "tap.h"

static void percentiles(void)
{
	struct tw_histogram histogram;

	if (tw_histogram_init(&histogram, 1))
		return;
	tap_ok(diff_nearly(tw_diff_percentile_ns(&histogram, 50), 0, 0), "empty: 0");
	tw_histogram_add(&histogram, 777);
	tap_ok(diff_nearly(tw_diff_percentile_ns(&histogram, 0), 777, 0) &&
	       diff_nearly(tw_diff_percentile_ns(&histogram, 100), 777, 0),
	       "never outside of what there was");
	tw_histogram_clear_all(&histogram);
	/* Bins are 1 ns wide, then 2, 4 and more up to 64. */
	for (unsigned value = 0; value < 1000; value++)
		tw_histogram_add(&histogram, value);
	tap_ok(diff_nearly(tw_diff_percentile_ns(&histogram, 50), 500, 1), "p50 of 0 to 999");
	tap_ok(diff_nearly(tw_diff_percentile_ns(&histogram, 90), 900, 1), "p90");
	tap_ok(diff_nearly(tw_diff_percentile_ns(&histogram, 99.9), 999, 1), "p99.9");
	tap_ok(diff_nearly(tw_diff_percentile_ns(&histogram, 150), 999, 0) &&
	       diff_nearly(tw_diff_percentile_ns(&histogram, -1), 0, 0), "beyond the ends");
	tw_histogram_free(&histogram);
}

static void turns(void)
{
	static const struct {
		const char *order;
		int take_turns;
	} orders[] = {
		{ "ABABABABAB", 1 }, { "ABBAABBAAB", 1 }, { "AAAAABBBBB", 0 },
		{ "AAABBBAABB", 0 }, { "AABBABABBA", 1 }, { "BBBBBABABAA", 0 },
		{ "ABAABAABAABAABA", 1 }, { "AB", 0 }, { "ABBA", 1 }, { "AABBBAABBA", 0 },
	};

	for (size_t i = 0; i < sizeof(orders) / sizeof(orders[0]); i++) {
		uint64_t of_b = 0;
		size_t runs = strlen(orders[i].order);

		for (size_t j = 0; j < runs; j++)
			of_b |= (uint64_t)(orders[i].order[j] == 'B') << j;
		tap_ok(tw_diff_take_turns(of_b, runs) == orders[i].take_turns,
		       "%s %s turns", orders[i].order,
		       orders[i].take_turns ? "take" : "don't take");
	}
}

/* One figure of up to 10 runs. */
struct judged {
	struct tw_diff diff;
	struct tw_diff_figure figure;
	double values[10];
};

static enum tw_diff_verdict judge(struct judged *judged, size_t runs, double factor)
{
	struct tw_diff *diff = &judged->diff;

	diff->figures = &judged->figure;
	diff->figure_count = 1;
	diff->values = judged->values;
	diff->count = runs;
	diff->of[0] = (runs + 1) / 2;
	diff->of[1] = runs / 2;
	diff->of_b = 0x2aaULL & ((1ULL << runs) - 1);
	for (size_t i = 0; i < runs; i++)
		judged->values[i] = log(1000 + (double)(i / 2)) +
				    (i % 2 ? log(factor) : 0);
	tw_diff_judge(diff);
	return diff->verdict;
}

/* The number of runs that have an interval of this width, in ten figures: as many as there are. */
static void more_runs(size_t runs, int are_pairs)
{
	enum { FIGURES = 10, MOST = 60 };
	double values[FIGURES * MOST], needed;
	struct tw_diff_figure figures[FIGURES] = { { .kind = TW_DIFF_MEAN } };
	struct tw_diff diff = {
		.figures = figures, .figure_count = FIGURES, .values = values, .count = runs,
		.of = { runs / 2, runs / 2 }, .of_b = 0xaaaaaaaaaaaaaaaULL & ((1ULL << runs) - 1),
		.are_pairs = are_pairs, .threshold = 1, .level = TW_DIFF_LEVEL,
	};

	diff_random_state = 7;
	for (size_t i = 0; i < FIGURES * runs; i += 2) {
		/* Pairs take out what neighbours share. */
		double shared = are_pairs ? diff_normal() : 0;

		values[i] = shared + 0.05 * diff_normal();
		values[i + 1] = shared + 0.05 * diff_normal();
	}
	tw_diff_judge(&diff);
	needed = tw_diff_runs_for(&diff, &figures[0], exp((figures[0].change.high -
							   figures[0].change.low) / 2));
	tap_ok(fabs(needed - (double)runs / 2) <= 0.25 * (double)runs / 2,
	       "%s: %.0f of each side for the width that %zu have",
	       are_pairs ? "pairs" : "runs", needed, runs / 2);
}

/* Two stages of four runs: the second varies more, but the first varies with lat. */
static void noise(void)
{
	struct tw_diff_figure figures[] = {
		{ .kind = TW_DIFF_MEAN, .is_log = 1 }, { .kind = TW_DIFF_STAGE },
		{ .kind = TW_DIFF_STAGE }, { .kind = TW_DIFF_STAGE },
	};
	double values[] = { log(120), log(180), log(100), log(160), 30, 40, 10, 20,
			    70, 70, 70, 70, 20, 80, 20, 70 };
	struct tw_diff_run runs[] = { { .side = TW_DIFF_A }, { .side = TW_DIFF_B },
				      { .side = TW_DIFF_A }, { .side = TW_DIFF_B } };
	const struct tw_diff diff = { .runs = runs, .count = 4, .of = { 2, 2 },
				      .figures = figures, .figure_count = 4, .values = values };
	double part = 0;

	tap_ok(tw_diff_noisiest(&diff, &figures[0], &part) == &figures[1] &&
	       diff_nearly(part, 1, 1e-9), "the stage that varies with lat");
	values[12] = 60;
	tap_ok(tw_diff_noisiest(&diff, &figures[0], &part) == &figures[3] &&
	       diff_nearly(part, 1.25, 1e-9), "or the other, if that does more");
}

/* What is judged, and the verdict. @resolution widens the interval to both sides. */
static const struct {
	enum tw_diff_kind kind;
	size_t runs;
	double factor, threshold, resolution;
	int no_turns, slower;
	enum tw_diff_verdict verdict;
	const char *what;
} verdicts_of[] = {
	{ TW_DIFF_MEAN, 10, 1.05, 1, 0, 0, 1, TW_DIFF_SLOWER, "longer is slower" },
	{ TW_DIFF_MEAN, 10, 0.95, 1, 0, 0, -1, TW_DIFF_FASTER, "shorter is faster" },
	{ TW_DIFF_MEAN, 10, 1, 1, 0, 0, 0, TW_DIFF_SAME, "alike" },
	{ TW_DIFF_IOPS, 10, 1.05, 1, 0, 0, -1, TW_DIFF_FASTER, "more I/Os are faster" },
	{ TW_DIFF_IOPS, 10, 0.95, 1, 0, 0, 1, TW_DIFF_SLOWER, "fewer are slower" },
	{ TW_DIFF_STAGE, 10, 1.05, 1, 0, 0, 1, TW_DIFF_SAME,
	  "a stage has no verdict, but its change is shown" },
	{ TW_DIFF_MEAN, 10, 1.05, 1.06, 0, 0, 0, TW_DIFF_SAME, "below the threshold" },
	{ TW_DIFF_MEAN, 10, 1.05, 1.04, 0, 0, 1, TW_DIFF_SLOWER, "beyond it" },
	{ TW_DIFF_MEAN, 10, 1.05, 1.0495, 0, 0, 0, TW_DIFF_NOISY,
	  "its interval is neither beyond nor within" },
	{ TW_DIFF_MEAN, 10, 1 / 1.06, 1.0495, 0, 0, -1, TW_DIFF_FASTER, "the same for less" },
	{ TW_DIFF_PERCENTILE, 10, 1.05, 1, 0.05, 0, 0, TW_DIFF_SAME, "within a bin's width" },
	{ TW_DIFF_MEAN, 10, 1.05, 1, 0, 1, 1, TW_DIFF_DIFFER, "not in turn: these differ" },
	{ TW_DIFF_MEAN, 10, 1, 1, 0, 1, 0, TW_DIFF_UNDECIDED,
	  "or do not, which says little" },
	{ TW_DIFF_MEAN, 9, 1.05, 1, 0, 0, 1, TW_DIFF_DIFFER, "5 against 4: these differ" },
	{ TW_DIFF_MEAN, 8, 1.05, 1, 0, 0, 1, TW_DIFF_DIFFER, "4 against 4, and which way" },
	{ TW_DIFF_MEAN, 8, 1, 1, 0, 0, 0, TW_DIFF_UNDECIDED, "or do not" },
	{ TW_DIFF_MEAN, 2, 1.05, 1, 0, 0, 0, TW_DIFF_UNDECIDED,
	  "1 against 1: nothing is known" },
	/* What the verdict "same" excludes is a change of 0.1. */
	{ TW_DIFF_MEAN, 10, 1, 1, 0.08, 0, 0, TW_DIFF_SAME, "0.08: excluded" },
	{ TW_DIFF_IOPS, 10, 1, 1, 0.08, 0, 0, TW_DIFF_SAME, "0.08 of IOPS: excluded" },
	{ TW_DIFF_MEAN, 10, 1, 1, 0.12, 0, 0, TW_DIFF_NOISY, "0.12: not excluded" },
	{ TW_DIFF_IOPS, 10, 1, 1, 0.12, 0, 0, TW_DIFF_NOISY, "0.12 of IOPS: not excluded" },
	{ TW_DIFF_PERCENTILE, 10, 1, 1, 0.12, 0, 0, TW_DIFF_SAME,
	  "a percentile does not decide" },
	{ TW_DIFF_STAGE, 10, 1, 1, 0.12, 0, 0, TW_DIFF_SAME, "nor a stage" },
	{ TW_DIFF_MEAN, 10, 1, 1.2, 0.12, 0, 0, TW_DIFF_SAME, "a threshold is the limit" },
	{ TW_DIFF_MEAN, 10, 1, 1.05, 0.08, 0, 0, TW_DIFF_NOISY, "a lower one, too" },
	{ TW_DIFF_MEAN, 8, 1, 1.05, 0.08, 0, 0, TW_DIFF_UNDECIDED,
	  "few runs are undecided, not noisy" },
	{ TW_DIFF_MEAN, 10, 1.5, 1.05, 0.08, 0, 1, TW_DIFF_SLOWER,
	  "a change that is shown is no noise" },
};

static void verdicts(void)
{
	static const int exits[] = {
		[TW_DIFF_SAME] = 0, [TW_DIFF_NOISY] = 2, [TW_DIFF_FASTER] = 0,
		[TW_DIFF_SLOWER] = 1, [TW_DIFF_MIXED] = 1, [TW_DIFF_DIFFER] = 2,
		[TW_DIFF_UNDECIDED] = 2,
	};
	double possible = 0;

	for (size_t i = 0; i < sizeof(verdicts_of) / sizeof(*verdicts_of); i++) {
		struct judged is = {
			.diff = { .threshold = verdicts_of[i].threshold, .level = TW_DIFF_LEVEL,
				  .is_interleaved = !verdicts_of[i].no_turns },
			.figure = { .kind = verdicts_of[i].kind, .is_log = 1,
				    .resolution = verdicts_of[i].resolution },
		};

		tap_ok(judge(&is, verdicts_of[i].runs, verdicts_of[i].factor) ==
		       verdicts_of[i].verdict && is.figure.slower == verdicts_of[i].slower &&
		       tw_diff_is_noisy(&is.diff) == (is.diff.verdict == TW_DIFF_NOISY),
		       "%s", verdicts_of[i].what);
		if (is.diff.verdict == TW_DIFF_NOISY && is.figure.kind == TW_DIFF_MEAN &&
		    is.diff.threshold == 1)
			possible = log(tw_diff_possible(&is.figure));
	}
	tap_ok(diff_nearly(possible, 0.12, 0.003), "what is possible is the far end");
	for (int i = 0; i <= TW_DIFF_UNDECIDED; i++)
		tap_ok(tw_diff_verdicts[i].exit == exits[i], "exit code of %s",
		       tw_diff_verdicts[i].name);
}

int main(void)
{
	percentiles();
	turns();
	more_runs(20, 0);
	more_runs(60, 0);
	more_runs(20, 1);
	more_runs(60, 1);
	noise();
	verdicts();
	return tap_done();
}
