/* SPDX-License-Identifier: MIT */
/*
 * Did a figure change between two sets of runs? statistics.h says by which method.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "command/diff/statistics.h"

/* All ways of 8 against 8 are below that. More are not worth their time: by chance the
 * 5 % are then off by a fifth of a percent. */
#define MOST_SPLITS	20000
#define SPLITS_BY_CHANCE 9999
/* What rounding may do to numbers that are equal. */
#define TIE		1e-9

struct test {
	const struct tw_diff_sets *sets;
	size_t of_a, of_b;		/* runs */
	size_t count;			/* of splits; the first is the real one */
	uint64_t *splits;		/* bit i: run i is in the place of B */
	double *sums;			/* [figure * count + split]: of those runs */
	double *outer;			/* the largest T of a split, */
	double *second;			/* the next one, */
	size_t *outermost;		/* and the figure that has the largest */
};

/* ---- splits -------------------------------------------------------------- */

static double ways(size_t runs_a, size_t runs_b)
{
	double count = 1;

	for (size_t i = 1; i <= runs_b; i++)
		count = count * (double)(runs_a + i) / (double)i;
	return round(count);
}

size_t tw_diff_splits(size_t runs_a, size_t runs_b)
{
	double all = ways(runs_a, runs_b);

	return all > MOST_SPLITS ? SPLITS_BY_CHANCE + 1 : (size_t)all;
}

/* The next larger number with as many bits (HAKMEM 175). */
static uint64_t next_split(uint64_t split)
{
	uint64_t lowest = split & -split, ripple = split + lowest;

	return ripple | (((split ^ ripple) >> 2) / lowest);
}

static void all_splits(struct test *test)
{
	uint64_t split = (1ULL << test->of_b) - 1;
	size_t i = 1;

	for (size_t n = 0; n < test->count; n++, split = next_split(split))
		if (split != test->sets->of_b)
			test->splits[i++] = split;
}

/* xorshift64*: the same splits, and so the same answer, each time. */
static uint64_t random_below(uint64_t *state, uint64_t below)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return (uint64_t)((double)((*state * 0x2545f4914f6cdd1dULL) >> 11) * 0x1p-53 *
			  (double)below);
}

/* Take runs as they come, each with the chance that is left (Knuth's algorithm S). */
static void splits_by_chance(struct test *test)
{
	uint64_t state = 0x9e3779b97f4a7c15ULL;

	for (size_t i = 1; i < test->count; i++) {
		size_t wanted = test->of_b;

		for (size_t run = 0; run < test->sets->runs; run++)
			if (random_below(&state, test->sets->runs - run) < wanted) {
				test->splits[i] |= 1ULL << run;
				wanted--;
			}
	}
}

static void make_splits(struct test *test)
{
	test->splits[0] = test->sets->of_b;
	if (ways(test->of_a, test->of_b) > MOST_SPLITS)
		splits_by_chance(test);
	else
		all_splits(test);
}

/* ---- one figure ---------------------------------------------------------- */

/* A figure, its values less their mean; then that of a shifted B. */
struct figure {
	const double *sums;
	double mean;
	double sum, squares;		/* of all runs; the sum is 0 but for rounding */
	double sum_b;			/* of the real B */
	double largest;
};

static struct figure figure_of(const struct test *test, size_t i)
{
	const struct tw_diff_sets *sets = test->sets;
	const double *values = &sets->values[i * sets->runs];
	struct figure figure = { .sums = &test->sums[i * test->count] };

	for (size_t run = 0; run < sets->runs; run++)
		figure.mean += values[run] / (double)sets->runs;
	for (size_t run = 0; run < sets->runs; run++) {
		double value = values[run] - figure.mean;

		figure.sum += value;
		figure.squares += value * value;
		if (sets->of_b >> run & 1)
			figure.sum_b += value;
		if (fabs(values[run]) > figure.largest)
			figure.largest = fabs(values[run]);
	}
	return figure;
}

/* What rounding leaves of the squares of values that are all equal. */
static double no_squares(const struct test *test, const struct figure *figure)
{
	return (double)test->sets->runs * figure->largest * figure->largest * 1e-30;
}

/* Of the runs that have these sums and squares, and @sum in the place of B. */
static double student(const struct test *test, double sum, double sum_all,
		      double squares, double nothing)
{
	double a = (double)test->of_a, b = (double)test->of_b;
	double difference = sum / b - (sum_all - sum) / a;
	double within = squares - sum * sum / b - (sum_all - sum) * (sum_all - sum) / a;

	if (squares <= nothing || difference == 0)
		return 0;
	if (within <= squares * 1e-12 + nothing)
		return HUGE_VAL;
	return fabs(difference) / sqrt(within / (a + b - 2) * (1 / a + 1 / b));
}

/* T of a split after @shift has been taken off the real B. */
static double shifted(const struct test *test, const struct figure *figure,
		      size_t split, double shift)
{
	double moved = (double)__builtin_popcountll(test->splits[split] &
						    test->sets->of_b);
	double b = (double)test->of_b;

	return student(test, figure->sums[split] - moved * shift,
		       figure->sum - b * shift,
		       figure->squares - 2 * shift * figure->sum_b + b * shift * shift,
		       no_squares(test, figure));
}

/* ---- all of them --------------------------------------------------------- */

static void add_sums(const struct test *test, size_t i)
{
	const struct tw_diff_sets *sets = test->sets;
	const double *values = &sets->values[i * sets->runs];
	double *sums = &test->sums[i * test->count];
	double mean = figure_of(test, i).mean;

	for (size_t split = 0; split < test->count; split++) {
		sums[split] = 0;
		for (size_t run = 0; run < sets->runs; run++)
			if (test->splits[split] >> run & 1)
				sums[split] += values[run] - mean;
	}
}

static void rank(const struct test *test, size_t i)
{
	struct figure figure = figure_of(test, i);

	for (size_t split = 0; split < test->count; split++) {
		double t = shifted(test, &figure, split, 0);

		if (i == 0 || t > test->outer[split]) {
			test->second[split] = i ? test->outer[split] : 0;
			test->outer[split] = t;
			test->outermost[split] = i;
		} else if (t > test->second[split]) {
			test->second[split] = t;
		}
	}
}

/* In how many splits any figure is as far out as figure @i is in the real one, once
 * @shift is taken off its B. */
static size_t as_far_out(const struct test *test, const struct figure *figure, size_t i,
			 double shift)
{
	double real = shifted(test, figure, 0, shift) * (1 - TIE);
	size_t count = 0;

	for (size_t split = 0; split < test->count; split++) {
		double others = test->outermost[split] == i ? test->second[split] :
							      test->outer[split];

		count += others >= real || shifted(test, figure, split, shift) >= real;
	}
	return count;
}

static int is_out(const struct test *test, const struct figure *figure, size_t i,
		  double shift)
{
	return (double)as_far_out(test, figure, i, shift) <=
	       TW_DIFF_LEVEL * (double)test->count;
}

/* The end of the interval on the side of @step, which is doubled until it is out. */
static double end_of(const struct test *test, const struct figure *figure, size_t i,
		     double change, double step)
{
	double in = change, out = change + step;
	int doublings = 0;

	while (!is_out(test, figure, i, out)) {
		if (++doublings > 40)
			return copysign(HUGE_VAL, step);
		in = out;
		step *= 2;
		out = change + step;
	}
	for (int i_half = 0; i_half < 40; i_half++) {
		double half = (in + out) / 2;

		if (is_out(test, figure, i, half))
			out = half;
		else
			in = half;
	}
	return in;
}

static void mean_of(const double *values, size_t runs, uint64_t of, double *mean,
		    double *spread)
{
	double count = (double)__builtin_popcountll(of), squares = 0;

	*mean = 0;
	for (size_t run = 0; run < runs; run++)
		if (of >> run & 1)
			*mean += values[run] / count;
	for (size_t run = 0; run < runs; run++)
		if (of >> run & 1)
			squares += (values[run] - *mean) * (values[run] - *mean);
	*spread = count > 1 ? sqrt(squares / (count - 1)) : 0;
}

static uint64_t of_a(const struct tw_diff_sets *sets)
{
	return ~sets->of_b & (~0ULL >> (TW_DIFF_MOST_RUNS - sets->runs));
}

static struct tw_diff_change change_of(const struct test *test, size_t i)
{
	const struct tw_diff_sets *sets = test->sets;
	const double *values = &sets->values[i * sets->runs];
	struct figure figure = figure_of(test, i);
	struct tw_diff_change change;
	double step;

	mean_of(values, sets->runs, of_a(sets), &change.a, &change.spread_a);
	mean_of(values, sets->runs, sets->of_b, &change.b, &change.spread_b);
	change.change = change.b - change.a;
	change.p = (double)as_far_out(test, &figure, i, 0) / (double)test->count;
	/* Any step will do, but for its rounding. */
	step = hypot(change.spread_a, change.spread_b) + figure.largest * 1e-12 +
	       1e-300;
	change.low = end_of(test, &figure, i, change.change, -step);
	change.high = end_of(test, &figure, i, change.change, step);
	return change;
}

static int make_room(struct test *test)
{
	test->splits = calloc(test->count, sizeof(*test->splits));
	test->sums = calloc(test->count * test->sets->figures + 1, sizeof(*test->sums));
	test->outer = calloc(test->count, sizeof(*test->outer));
	test->second = calloc(test->count, sizeof(*test->second));
	test->outermost = calloc(test->count, sizeof(*test->outermost));
	return test->splits && test->sums && test->outer && test->second &&
	       test->outermost ? 0 : -ENOMEM;
}

int tw_diff_test(struct tw_diff_change *changes, const struct tw_diff_sets *sets)
{
	struct test test = { .sets = sets };
	int error;

	if (sets->runs > TW_DIFF_MOST_RUNS || !sets->runs || !sets->of_b ||
	    !of_a(sets))
		return -EINVAL;
	test.of_b = (size_t)__builtin_popcountll(sets->of_b);
	test.of_a = sets->runs - test.of_b;
	test.count = tw_diff_splits(test.of_a, test.of_b);
	error = make_room(&test);
	if (!error) {
		make_splits(&test);
		for (size_t i = 0; i < sets->figures; i++)
			add_sums(&test, i);
		for (size_t i = 0; i < sets->figures; i++)
			rank(&test, i);
		for (size_t i = 0; i < sets->figures; i++)
			changes[i] = change_of(&test, i);
	}
	free(test.splits);
	free(test.sums);
	free(test.outer);
	free(test.second);
	free(test.outermost);
	return error;
}

double tw_diff_gap(const double *values, size_t runs, uint64_t of_b)
{
	double low[2] = { HUGE_VAL, HUGE_VAL }, high[2] = { -HUGE_VAL, -HUGE_VAL };

	for (size_t run = 0; run < runs; run++) {
		int side = of_b >> run & 1;

		low[side] = fmin(low[side], values[run]);
		high[side] = fmax(high[side], values[run]);
	}
	if (low[1] > high[0])
		return low[1] - high[0];
	return high[1] < low[0] ? high[1] - low[0] : 0;
}
