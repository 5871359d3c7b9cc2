/* SPDX-License-Identifier: MIT */
/*
 * Checks figures of runs and the verdict on them: percentiles between the edges of
 * bins, the order of runs, and how few runs are judged. Fails if a percentile moves
 * by whole bins only, or if a verdict is given on less than it needs.
 */
#include "diff_runs.h"
#include "tap.h"

static int nearly(double is, double should, double within)
{
	if (fabs(is - should) <= within)
		return 1;
	tap_note("is %.12g, should be %.12g", is, should);
	return 0;
}

static void percentiles(void)
{
	struct tw_histogram histogram;

	if (tw_histogram_init(&histogram, 1))
		return;
	tap_ok(nearly(tw_diff_percentile_ns(&histogram, 50), 0, 0), "empty: 0");
	tw_histogram_add(&histogram, 777);
	tap_ok(nearly(tw_diff_percentile_ns(&histogram, 0), 777, 0) &&
	       nearly(tw_diff_percentile_ns(&histogram, 100), 777, 0),
	       "never outside of what there was");
	tw_histogram_reset(&histogram);
	/* Bins are 1 ns wide, then 2, 4 and more up to 64. */
	for (unsigned value = 0; value < 1000; value++)
		tw_histogram_add(&histogram, value);
	tap_ok(nearly(tw_diff_percentile_ns(&histogram, 50), 500, 1), "p50 of 0 to 999");
	tap_ok(nearly(tw_diff_percentile_ns(&histogram, 90), 900, 1), "p90");
	tap_ok(nearly(tw_diff_percentile_ns(&histogram, 99.9), 999, 1), "p99.9");
	tap_ok(nearly(tw_diff_percentile_ns(&histogram, 150), 999, 0) &&
	       nearly(tw_diff_percentile_ns(&histogram, -1), 0, 0), "beyond the ends");
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
		{ "ABAABAABAABAABA", 1 }, { "AB", 0 }, { "ABBA", 1 },
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

/* The result of tw_diff_judge() for one figure of 10 runs. */
struct judged {
	struct tw_diff diff;
	struct tw_diff_figure figure;
	double values[2 * DIFF_RUNS];
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

static struct judged judged_of(enum tw_diff_kind kind)
{
	return (struct judged) {
		.diff = { .threshold = 1, .is_interleaved = 1 },
		.figure = { .kind = kind, .is_log = 1 },
	};
}

static void verdicts(void)
{
	struct judged mean = judged_of(TW_DIFF_MEAN), iops = judged_of(TW_DIFF_IOPS);
	struct judged stage = judged_of(TW_DIFF_STAGE), p50 = judged_of(TW_DIFF_PERCENTILE);

	tap_ok(judge(&mean, 10, 1.05) == TW_DIFF_SLOWER, "longer is slower");
	tap_ok(judge(&mean, 10, 0.95) == TW_DIFF_FASTER, "shorter is faster");
	tap_ok(judge(&mean, 10, 1) == TW_DIFF_SAME, "alike");
	tap_ok(judge(&iops, 10, 1.05) == TW_DIFF_FASTER, "more I/Os are faster");
	tap_ok(judge(&iops, 10, 0.95) == TW_DIFF_SLOWER, "fewer are slower");
	tap_ok(judge(&stage, 10, 1.05) == TW_DIFF_SAME && stage.figure.slower == 1,
	       "a stage has no verdict, but its change is shown");
	mean.diff.threshold = 1.06;
	tap_ok(judge(&mean, 10, 1.05) == TW_DIFF_SAME, "below the threshold");
	mean.diff.threshold = 1.04;
	tap_ok(judge(&mean, 10, 1.05) == TW_DIFF_SLOWER, "beyond it");
	mean.diff.threshold = 1.0495;
	tap_ok(judge(&mean, 10, 1.05) == TW_DIFF_NOISY,
	       "its interval is neither beyond nor within");
	tap_ok(judge(&mean, 10, 1 / 1.06) == TW_DIFF_FASTER, "the same for less");
	mean.diff.threshold = 1;
	p50.figure.resolution = 0.05;
	tap_ok(judge(&p50, 10, 1.05) == TW_DIFF_SAME, "within a bin's width");
	mean.diff.is_interleaved = 0;
	tap_ok(judge(&mean, 10, 1.05) == TW_DIFF_DIFFER, "not in turn: these differ");
	tap_ok(judge(&mean, 10, 1) == TW_DIFF_UNDECIDED, "or do not, which says little");
	mean.diff.is_interleaved = 1;
	tap_ok(judge(&mean, 9, 1.05) == TW_DIFF_DIFFER, "5 against 4: these differ");
	tap_ok(judge(&mean, 8, 1.05) == TW_DIFF_DIFFER && mean.figure.slower == 1,
	       "4 against 4, and which way");
	tap_ok(judge(&mean, 8, 1) == TW_DIFF_UNDECIDED, "or do not");
	tap_ok(judge(&mean, 2, 1.05) == TW_DIFF_UNDECIDED,
	       "1 against 1, not cut: nothing is known");
	tap_ok(tw_diff_exit(TW_DIFF_SAME) == 0 && tw_diff_exit(TW_DIFF_FASTER) == 0 &&
	       tw_diff_exit(TW_DIFF_SLOWER) == 1 && tw_diff_exit(TW_DIFF_MIXED) == 1 &&
	       tw_diff_exit(TW_DIFF_NOISY) == 2 &&
	       tw_diff_exit(TW_DIFF_DIFFER) == 2 && tw_diff_exit(TW_DIFF_UNDECIDED) == 2,
	       "exit codes");
}

/* What the verdict "same" excludes. A resolution widens the interval to both
 * sides. */
static void noise(void)
{
	struct judged mean = judged_of(TW_DIFF_MEAN), iops = judged_of(TW_DIFF_IOPS);
	struct judged p99 = judged_of(TW_DIFF_PERCENTILE), stage = judged_of(TW_DIFF_STAGE);
	const double widths[] = { 0.08, 0.12 };

	for (int i = 0; i < 2; i++) {
		enum tw_diff_verdict should = i ? TW_DIFF_NOISY : TW_DIFF_SAME;

		mean.figure.resolution = iops.figure.resolution = widths[i];
		p99.figure.resolution = stage.figure.resolution = widths[i];
		tap_ok(judge(&mean, 10, 1) == should && judge(&iops, 10, 1) == should,
		       "%g of 0.1: %s", widths[i], tw_diff_verdict_name(should));
		tap_ok(judge(&p99, 10, 1) == TW_DIFF_SAME &&
		       judge(&stage, 10, 1) == TW_DIFF_SAME,
		       "a percentile or a stage does not decide");
	}
	tap_ok(nearly(log(tw_diff_possible(&mean.figure)), 0.12, 0.003) &&
	       nearly(judge(&mean, 10, 0.98) == TW_DIFF_NOISY, 1, 0) &&
	       nearly(log(tw_diff_possible(&mean.figure)), 0.14, 0.003),
	       "the far end of the interval is what is possible");
	mean.diff.threshold = 1.2;
	tap_ok(judge(&mean, 10, 1) == TW_DIFF_SAME && tw_diff_limit(&mean.diff) == 1.2,
	       "a higher threshold is the limit");
	mean.diff.threshold = 1.05;
	mean.figure.resolution = 0.08;
	tap_ok(judge(&mean, 10, 1) == TW_DIFF_NOISY, "and so is a lower one");
	tap_ok(judge(&mean, 8, 1) == TW_DIFF_UNDECIDED && !tw_diff_is_noisy(&mean.diff),
	       "few runs are undecided, not noisy");
	tap_ok(judge(&mean, 10, 1.5) == TW_DIFF_SLOWER && !tw_diff_is_noisy(&mean.diff),
	       "a change that is shown is no noise");
}

/* Two runs, cut in four pieces each. */
static void pieces(void)
{
	struct judged mean = judged_of(TW_DIFF_MEAN);
	double values[2 * TW_DIFF_MAX_PIECES];

	mean.diff.pieces = TW_DIFF_MAX_PIECES;
	mean.diff.piece_values = values;
	mean.figure.is_cut = 1;
	for (int i = 0; i < 2 * TW_DIFF_MAX_PIECES; i++)
		values[i] = log(1000 + i % TW_DIFF_MAX_PIECES) +
			    (i < TW_DIFF_MAX_PIECES ? 0 : log(1.05));
	tap_ok(judge(&mean, 2, 1.05) == TW_DIFF_DIFFER && mean.figure.slower == 1,
	       "all pieces of one run are above the other's: these differ");
	mean.diff.threshold = 1.06;
	tap_ok(judge(&mean, 2, 1.05) == TW_DIFF_UNDECIDED, "but not by the threshold");
	mean.diff.threshold = 1;
	tap_ok(judge(&mean, 2, 0.95) == TW_DIFF_UNDECIDED,
	       "not if the runs themselves do not, or the other way");
	mean.figure.is_cut = 0;
	tap_ok(judge(&mean, 2, 1.05) == TW_DIFF_UNDECIDED, "nor if it has no pieces");
	mean.figure.is_cut = 1;
	values[0] = values[2 * TW_DIFF_MAX_PIECES - 1] + 0.01;
	tap_ok(judge(&mean, 2, 1.05) == TW_DIFF_UNDECIDED,
	       "one piece among those of the other run");
}

/* Which part of a run goes into which piece. */
static void cuts(void)
{
	static struct diff_simulation simulation;
	struct tw_diff *diff = &simulation.diff;
	struct diff_model model = { .deviation = 0.1, .longer = 1 };
	uint64_t *lats = calloc(4000, sizeof(*lats));
	const struct tw_diff_figure *mean, *p99, *p99_5;

	if (!lats || diff_simulation_init(&simulation) ||
	    diff_simulate_two(&simulation, &model, 4000, lats)) {
		tap_ok(0, "no memory");
		return;
	}
	mean = diff_figure(&simulation, "lat mean");
	p99 = diff_figure(&simulation, "p99");
	p99_5 = diff_figure(&simulation, "p99.5");
	tap_ok(mean->is_cut && diff_figure(&simulation, "IOPS")->is_cut,
	       "I/Os per second and the mean have pieces");
	tap_ok(p99_5 && !p99_5->is_cut, "a percentile with few I/Os beyond has none");
	tap_ok(diff_figure(&simulation, "p90")->is_cut, "another has them");
	tap_ok(!diff_figure(&simulation, "kernel")->is_cut, "stages have none");
	tap_ok(nearly(diff->piece_values[(size_t)(mean - diff->figures) * 8],
		      log(tw_histogram_mean_ns(tw_diff_piece(&diff->runs[0], 0, 0, 0))),
		      1e-3), "the first piece's mean");
	diff->runs[1].pieces = NULL;
	free(diff->piece_values);
	tw_diff_find_pieces(diff);
	tap_ok(mean->is_cut && !diff_figure(&simulation, "p50")->is_cut,
	       "without a file of intervals, percentiles have none");
	simulation.groups[1].all.tally.over_time.count = 15;
	free(diff->piece_values);
	tw_diff_find_pieces(diff);
	tap_ok(!mean->is_cut && p99, "nothing has them if a run has few windows");
	diff_simulation_end(&simulation);
	free(lats);
}

int main(void)
{
	percentiles();
	turns();
	verdicts();
	noise();
	pieces();
	cuts();
	return tap_done();
}
