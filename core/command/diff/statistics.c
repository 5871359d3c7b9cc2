/* SPDX-License-Identifier: MIT */
/*
 * Tests whether a figure changed between two sets of runs. statistics.h
 * explains the method.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "command/diff/statistics.h"
#include "base/allocate.h"

/* All splits of 8 against 8 are fewer than this. With more runs, random splits take less
 * time; by chance, the 5 % are then off by a fifth of a percent. */
#define MAX_SPLITS	20000
#define SPLITS_BY_CHANCE 9999
#define SEED		0x9e3779b97f4a7c15ULL
/* Relative error of rounding: numbers closer than this count as equal. */
#define TIE		1e-9
#define HALVINGS	40
#define MAX_DOUBLINGS	40

/* One way to split the runs. T is squared. */
struct split {
	uint64_t b;			/* bit i: run i takes the place of B */
	double moved;			/* number of these that really are of B */
	double outer, second;		/* the largest T of a figure, and the
					 * next one */
	size_t outermost;		/* the figure that has the largest */
	/* Sums over the runs in the place of B, of one figure. Its mean is subtracted first. */
	struct sums {
		double values, squares;
		double moved;		/* sum of the values that really are of B */
	} sums;
};

struct test {
	const struct tw_diff_sets *sets;
	double a, b;			/* number of runs */
	size_t count;			/* number of splits; the first is the
					 * real one */
	struct split *splits;
	size_t *open;			/* room for the number of each split */
};

/* ---- splits -------------------------------------------------------------- */

static double ways(size_t runs_a, size_t runs_b)
{
	double count = 1;

	for (size_t i = 1; i <= runs_b; i++)
		count = count * (double)(runs_a + i) / (double)i;
	return round(count);
}

int tw_diff_are_pairs(uint64_t of_b, size_t runs, double level)
{
	for (size_t run = 0; run < runs; run += 2)
		if ((of_b >> run & 3) != 1 && (of_b >> run & 3) != 2)
			return 0;
	/* An exchange of all pairs has the same T. */
	return runs % 2 == 0 && 2 <= level * exp2((double)runs / 2);
}

size_t tw_diff_splits(size_t runs_a, size_t runs_b, int are_pairs)
{
	double all = are_pairs ? exp2((double)runs_b) : ways(runs_a, runs_b);

	return all > MAX_SPLITS ? SPLITS_BY_CHANCE + 1 : (size_t)all;
}

/* A split and its mirror, if both are splits, have the same T. */
int tw_diff_can_show(size_t runs_a, size_t runs_b, double level)
{
	double fewest = runs_a == runs_b ? 2 : 1;

	return fewest <= level * (double)tw_diff_splits(runs_a, runs_b, 0);
}

/* Return the next larger number with the same number of bits set (HAKMEM
 * 175). */
static uint64_t next_split(uint64_t split)
{
	uint64_t lowest = split & -split, ripple = split + lowest;

	return ripple | (((split ^ ripple) >> 2) / lowest);
}

static void all_splits(struct test *test)
{
	uint64_t split = (1ULL << (unsigned)test->b) - 1;
	size_t i = 1;

	for (size_t n = 0; n < test->count; n++, split = next_split(split))
		if (split != test->sets->of_b)
			test->splits[i++].b = split;
}

/* Return a random number, by xorshift64*. The seed is constant, so the splits
 * and the result are the same each time. */
static uint64_t random_below(uint64_t *state, uint64_t below)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return (uint64_t)((double)((*state * 0x2545f4914f6cdd1dULL) >> 11) * 0x1p-53 *
			  (double)below);
}

/* Draw random splits: take each run with the chance that is left (Knuth's
 * algorithm S). */
static void splits_by_chance(struct test *test)
{
	uint64_t state = SEED;

	for (size_t i = 1; i < test->count; i++) {
		size_t wanted = (size_t)test->b;

		for (size_t run = 0; run < test->sets->runs; run++)
			if (random_below(&state, test->sets->runs - run) < wanted) {
				test->splits[i].b |= 1ULL << run;
				wanted--;
			}
	}
}

/* Exchange the sides of pairs: bit i of a number says that of pair i. */
static void exchange_pairs(struct test *test)
{
	const int all = exp2(test->b) <= MAX_SPLITS;
	uint64_t state = SEED;

	for (size_t i = 1; i < test->count; i++) {
		test->splits[i].b = test->sets->of_b;
		for (size_t pair = 0; pair < (size_t)test->b; pair++)
			if (all ? i >> pair & 1 : random_below(&state, 2))
				test->splits[i].b ^= 3ULL << 2 * pair;
	}
}

static void make_splits(struct test *test)
{
	const uint64_t of_b = test->sets->of_b;

	test->splits[0].b = of_b;
	if (test->sets->are_pairs)
		exchange_pairs(test);
	else if (ways((size_t)test->a, (size_t)test->b) > MAX_SPLITS)
		splits_by_chance(test);
	else
		all_splits(test);
	for (size_t i = 0; i < test->count; i++)
		test->splits[i].moved =
			(double)__builtin_popcountll(test->splits[i].b & of_b);
}

/* ---- one figure ---------------------------------------------------------- */

struct figure {
	size_t number;
	const double *values;
	double mean;
	struct sums all;		/* of all runs; @moved: of B */
	double largest;
	double change;			/* from A to B */
	double pairs;			/* squares of the pairs' differences */
};

static void find_sums(const struct test *test, const struct figure *figure)
{
	for (size_t i = 0; i < test->count; i++) {
		struct sums *sums = &test->splits[i].sums;

		*sums = (struct sums) { .values = 0 };
		for (uint64_t left = test->splits[i].b; left; left &= left - 1) {
			int run = __builtin_ctzll(left);
			double value = figure->values[run] - figure->mean;

			sums->values += value;
			sums->squares += value * value;
			if (test->sets->of_b >> run & 1)
				sums->moved += value;
		}
	}
}

/* Return what belongs to a figure, and set the sums of the splits to its own. */
static struct figure figure_of(const struct test *test, size_t i)
{
	const struct tw_diff_sets *sets = test->sets;
	struct figure figure = { .number = i, .values = &sets->values[i * sets->runs] };

	for (size_t run = 0; run < sets->runs; run++)
		figure.mean += figure.values[run] / (double)sets->runs;
	for (size_t run = 0; run < sets->runs; run++) {
		double value = figure.values[run] - figure.mean;

		figure.all.values += value;
		figure.all.squares += value * value;
		if (sets->of_b >> run & 1)
			figure.all.moved += value;
		if (fabs(figure.values[run]) > figure.largest)
			figure.largest = fabs(figure.values[run]);
	}
	for (size_t run = 0; run < sets->runs; run += 2)
		if (sets->are_pairs)
			figure.pairs += pow(figure.values[run] - figure.values[run + 1], 2);
	figure.change = figure.all.moved / test->b -
			(figure.all.values - figure.all.moved) / test->a;
	find_sums(test, &figure);
	return figure;
}

/* Return the squared standard error of the difference of two means. Each side
 * has its own variance (Welch); a side with one run uses that of the other. */
static double error_of(const struct test *test, double within_a, double within_b)
{
	double a = test->a, b = test->b;

	if (a < 2 || b < 2)
		return (within_a + within_b) / (a + b - 2) * (1 / a + 1 / b);
	return within_a / (a - 1) / a + within_b / (b - 1) / b;
}

/* Return the squared T of a split after @shift was subtracted from the real
 * B. */
static double shifted(const struct test *test, const struct figure *figure,
		      size_t split, double shift)
{
	/* What rounding leaves of the squares if all values are equal. */
	const double nothing = (double)test->sets->runs * figure->largest * figure->largest * 1e-30;
	double moved = test->splits[split].moved;
	const struct sums *all = &figure->all, *in_b = &test->splits[split].sums;
	double b = in_b->values - moved * shift;
	double a = all->values - test->b * shift - b;
	double squares = all->squares - 2 * shift * all->moved + test->b * shift * shift;
	double squares_b = in_b->squares - 2 * shift * in_b->moved + moved * shift * shift;
	double difference = b / test->b - a / test->a;
	double within_a = fmax(squares - squares_b - a * a / test->a, 0);
	double within_b = fmax(squares_b - b * b / test->b, 0);

	if (squares <= nothing || difference == 0)
		return 0;
	/* An exchange changes the sign of a pair's difference, not its square. */
	if (test->sets->are_pairs) {
		const double n = test->b;
		const double all_pairs = figure->pairs - n * shift * (2 * figure->change - shift);
		const double within = all_pairs - n * difference * difference;

		return within <= all_pairs * 1e-12 + nothing ? HUGE_VAL :
		       difference * difference * n * (n - 1) / within;
	}
	if (within_a + within_b <= squares * 1e-12 + nothing)
		return HUGE_VAL;
	return difference * difference / error_of(test, within_a, within_b);
}

/* ---- all of them --------------------------------------------------------- */

static void rank(const struct test *test, size_t i)
{
	const struct figure figure = figure_of(test, i);

	for (size_t n = 0; n < test->count; n++) {
		double t = shifted(test, &figure, n, 0);
		struct split *split = &test->splits[n];

		if (i == 0 || t > split->outer) {
			split->second = split->outer;
			split->outer = t;
			split->outermost = i;
		} else if (t > split->second) {
			split->second = t;
		}
	}
}

/* Return the T of the real split, once @shift is subtracted from the B of
 * figure @i. */
static double real_of(const struct test *test, const struct figure *figure, double shift)
{
	return shifted(test, figure, 0, shift) * (1 - TIE);
}

/* Does any figure of this split have a T of at least @real? */
static int is_far(const struct test *test, const struct figure *figure, size_t split,
		  double shift, double real)
{
	const struct split *is = &test->splits[split];
	double others = is->outermost == figure->number ? is->second : is->outer;

	return others >= real || shifted(test, figure, split, shift) >= real;
}

/* Return the number of such splits. */
static size_t as_far_out(const struct test *test, const struct figure *figure, double shift)
{
	double real = real_of(test, figure, shift);
	size_t count = 0;

	for (size_t split = 0; split < test->count; split++)
		count += (size_t)is_far(test, figure, split, shift, real);
	return count;
}

/* Halve the interval between @in, which the test accepts, and @out. A split
 * that is far at both ends, or at neither, is assumed to be so between them.
 * Each halving leaves about half of the splits to compute. */
static double halve(const struct test *test, const struct figure *figure, double in,
		    double out, size_t most)
{
	double real_in = real_of(test, figure, in), real_out = real_of(test, figure, out);
	size_t open = 0, sure = 0;

	for (size_t split = 0; split < test->count; split++) {
		int at_in = is_far(test, figure, split, in, real_in);
		int at_out = is_far(test, figure, split, out, real_out);

		sure += (size_t)(at_in && at_out);
		if (at_in != at_out)
			test->open[open++] = split;
	}
	for (int halving = 0; halving < HALVINGS; halving++) {
		double half = (in + out) / 2, real = real_of(test, figure, half);
		size_t far = 0;

		/* Move the splits that are far to the front. */
		for (size_t n = 0; n < open; n++)
			if (is_far(test, figure, test->open[n], half, real)) {
				size_t split = test->open[n];

				test->open[n] = test->open[far];
				test->open[far++] = split;
			}
		if (sure + far <= most) {
			out = half;
			sure += far;
			open -= far;
			memmove(test->open, test->open + far, open * sizeof(*test->open));
		} else {
			in = half;
			open = far;
		}
	}
	return in;
}

/* Return the end of the interval on the side of @step, which is doubled until
 * the end is passed. */
static double end_of(const struct test *test, const struct figure *figure, double step)
{
	size_t most = (size_t)(test->sets->level * (double)test->count);
	double in = figure->change, out = in + step;
	int doublings = 0;

	while (as_far_out(test, figure, out) > most) {
		if (++doublings > MAX_DOUBLINGS)
			return copysign(HUGE_VAL, step);
		in = out;
		step *= 2;
		out = figure->change + step;
	}
	return halve(test, figure, in, out, most);
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
	return ~sets->of_b & (~0ULL >> (TW_DIFF_MAX_RUNS - sets->runs));
}

static struct tw_diff_change change_of(const struct test *test, size_t i)
{
	const struct tw_diff_sets *sets = test->sets;
	const struct figure figure = figure_of(test, i);
	struct tw_diff_change change = { .change = figure.change };
	double step;

	mean_of(figure.values, sets->runs, of_a(sets), &change.a, &change.spread_a);
	mean_of(figure.values, sets->runs, sets->of_b, &change.b, &change.spread_b);
	change.p = (double)as_far_out(test, &figure, 0) / (double)test->count;
	/* Any step works, but it must not vanish in rounding. */
	step = hypot(change.spread_a, change.spread_b) + figure.largest * 1e-12 +
	       1e-300;
	change.low = end_of(test, &figure, -step);
	change.high = end_of(test, &figure, step);
	return change;
}

int tw_diff_test(struct tw_diff_change *changes, const struct tw_diff_sets *sets)
{
	struct test test = { .sets = sets };

	if (sets->runs > TW_DIFF_MAX_RUNS || !sets->runs || !sets->of_b ||
	    !of_a(sets))
		return -EINVAL;
	test.b = (double)__builtin_popcountll(sets->of_b);
	test.a = (double)sets->runs - test.b;
	test.count = tw_diff_splits((size_t)test.a, (size_t)test.b, sets->are_pairs);
	test.splits = tw_zalloc(test.count, sizeof(*test.splits));
	test.open = tw_zalloc(test.count, sizeof(*test.open));
	make_splits(&test);
	for (size_t i = 0; i < sets->figures; i++)
		rank(&test, i);
	for (size_t i = 0; i < sets->figures; i++)
		changes[i] = change_of(&test, i);
	free(test.splits);
	free(test.open);
	return 0;
}
