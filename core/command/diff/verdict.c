/* SPDX-License-Identifier: MIT */
/*
 * Tests the figures of a comparison and judges them: which changes count, and
 * what the verdict on the sides is.
 */
#include <math.h>
#include <stdlib.h>

#include "command/command.h"
#include "command/diff/diff.h"
#include "base/allocate.h"

const struct tw_diff_verdict_words tw_diff_verdicts[] = {
	[TW_DIFF_SAME] = { "same", TW_EXIT_GOOD },
	[TW_DIFF_NOISY] = { "noisy", TW_EXIT_UNDECIDED },
	[TW_DIFF_FASTER] = { "faster", TW_EXIT_GOOD },
	[TW_DIFF_SLOWER] = { "slower", TW_EXIT_BAD_VERDICT },
	[TW_DIFF_MIXED] = { "mixed", TW_EXIT_BAD_VERDICT },
	[TW_DIFF_DIFFER] = { "differ", TW_EXIT_UNDECIDED },
	[TW_DIFF_UNDECIDED] = { "undecided", TW_EXIT_UNDECIDED },
};

int tw_diff_is_decided(const struct tw_diff *diff)
{
	return diff->of[TW_DIFF_A] >= TW_DIFF_FEWEST_RUNS &&
	       diff->of[TW_DIFF_B] >= TW_DIFF_FEWEST_RUNS && diff->is_interleaved;
}

int tw_diff_is_judged(const struct tw_diff_figure *figure)
{
	return figure->kind != TW_DIFF_STAGE && figure->kind != TW_DIFF_CALL;
}

/* Return 1: B is above A by more than the threshold; -1: below; 0: neither is
 * shown. */
static int direction_of(const struct tw_diff *diff, const struct tw_diff_figure *figure)
{
	double least = tw_diff_is_judged(figure) ? log(diff->threshold) : 0;

	return figure->change.low > least ? 1 : figure->change.high < -least ? -1 : 0;
}

double tw_diff_possible(const struct tw_diff_figure *figure)
{
	return exp(fmax(-figure->change.low, figure->change.high));
}

double tw_diff_limit(const struct tw_diff *diff)
{
	return diff->threshold > 1 ? diff->threshold : TW_DIFF_NOISE_LIMIT;
}

/* The figures that are tested together depend on each other: about as ten that do not. */
#define APART		10
#define MOST_RUNS	10000

/* Return the quantile of Student's t that a side of the normal one is beyond with @p: Hastings'
 * formula (1955), and the first term of Cornish and Fisher's expansion. */
static double quantile(double p, double freedom)
{
	const double t = sqrt(-2 * log(p));
	const double z = t - (2.30753 + 0.27061 * t) / (1 + 0.99229 * t + 0.04481 * t * t);

	return z + (z * z * z + z) / (4 * freedom);
}

double tw_diff_runs_for(const struct tw_diff *diff, const struct tw_diff_figure *figure,
			double factor)
{
	const double *values = &diff->values[(size_t)(figure - diff->figures) * diff->count];
	const struct tw_diff_change *is = &figure->change;
	const double pairs = (double)diff->count / 2, p = diff->level / 2 / APART;
	double squares = pow(is->spread_a, 2) + pow(is->spread_b, 2), runs;

	if (diff->are_pairs)
		squares = 0;
	for (size_t run = 0; run < diff->count && diff->are_pairs; run += 2)
		squares += pow((values[run + 1] - values[run]) * (diff->of_b >> run & 1 ? -1 : 1) -
			       is->change, 2) / (pairs - 1);
	squares /= pow(log(factor), 2);
	for (runs = 2; runs < MOST_RUNS; runs++)
		if (runs >= squares * pow(quantile(p, (diff->are_pairs ? 1 : 2) * (runs - 1)), 2))
			break;
	return runs;
}

/* A tail alone does not decide: in short runs its percentiles are always noisy. Of
 * equal figures take the first, whatever rounding does. */
const struct tw_diff_figure *tw_diff_least_certain(const struct tw_diff *diff)
{
	const struct tw_diff_figure *least = NULL;

	for (size_t i = 0; i < diff->figure_count; i++) {
		const struct tw_diff_figure *figure = &diff->figures[i];

		if ((figure->kind == TW_DIFF_IOPS || figure->kind == TW_DIFF_MEAN) &&
		    !figure->slower && tw_diff_is_judged(figure) &&
		    (!least || tw_diff_possible(figure) >
			       tw_diff_possible(least) * (1 + 1e-9)))
			least = figure;
	}
	return least;
}

int tw_diff_is_noisy(const struct tw_diff *diff)
{
	const struct tw_diff_figure *least = tw_diff_least_certain(diff);

	return tw_diff_is_decided(diff) && least &&
	       tw_diff_possible(least) > tw_diff_limit(diff);
}

/* Return how far a run is from the mean of its side. */
static double off_ns(const struct tw_diff *diff, const struct tw_diff_figure *figure, size_t run)
{
	const double *values = &diff->values[(size_t)(figure - diff->figures) * diff->count];
	const enum tw_diff_side side = diff->runs[run].side;
	double ns = figure->is_log ? exp(values[run]) : values[run];

	for (size_t i = 0; i < diff->count; i++)
		if (diff->runs[i].side == side)
			ns -= (figure->is_log ? exp(values[i]) : values[i]) /
			      (double)diff->of[side];
	return ns;
}

/* The stages add up to lat, and their covariances with it to its variance. */
const struct tw_diff_figure *tw_diff_noisiest(const struct tw_diff *diff,
					      const struct tw_diff_figure *of, double *part)
{
	const struct tw_diff_figure *mean = NULL, *most = NULL;

	*part = 0;
	for (size_t i = 0; i < diff->figure_count; i++) {
		const struct tw_diff_figure *is = &diff->figures[i];
		double shared = 0, all = 0;

		if (!tw_diff_is_of(is, of))
			continue;
		mean = is->kind == TW_DIFF_MEAN ? is : mean;
		for (size_t run = 0; run < diff->count && mean; run++) {
			shared += off_ns(diff, is, run) * off_ns(diff, mean, run);
			all += pow(off_ns(diff, mean, run), 2);
		}
		if (is->kind == TW_DIFF_STAGE && shared > *part * all) {
			*part = shared / all;
			most = is;
		}
	}
	return most;
}

static enum tw_diff_verdict verdict_of(const struct tw_diff *diff)
{
	int slower = 0, faster = 0;

	for (size_t i = 0; i < diff->figure_count; i++)
		if (tw_diff_is_judged(&diff->figures[i])) {
			slower |= diff->figures[i].slower > 0;
			faster |= diff->figures[i].slower < 0;
		}
	if (!tw_diff_is_decided(diff) || !diff->figure_count)
		return slower || faster ? TW_DIFF_DIFFER : TW_DIFF_UNDECIDED;
	if (slower && faster)
		return TW_DIFF_MIXED;
	if (slower || faster)
		return slower ? TW_DIFF_SLOWER : TW_DIFF_FASTER;
	return tw_diff_is_noisy(diff) ? TW_DIFF_NOISY : TW_DIFF_SAME;
}

void tw_diff_judge(struct tw_diff *diff)
{
	const struct tw_diff_sets sets = {
		.runs = diff->count, .of_b = diff->of_b, .are_pairs = diff->are_pairs,
		.level = diff->level,
		.figures = diff->figure_count, .values = diff->values,
	};
	struct tw_diff_change *changes = tw_zalloc(diff->figure_count, sizeof(*changes));

	tw_diff_test(changes, &sets);
	for (size_t i = 0; i < diff->figure_count; i++) {
		struct tw_diff_figure *figure = &diff->figures[i];

		figure->change = changes[i];
		figure->change.low -= figure->resolution;
		figure->change.high += figure->resolution;
		figure->slower = direction_of(diff, figure);
		if (figure->kind == TW_DIFF_IOPS)
			figure->slower = -figure->slower;
	}
	free(changes);
	diff->verdict = verdict_of(diff);
}
