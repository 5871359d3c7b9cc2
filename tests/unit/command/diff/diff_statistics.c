/* SPDX-License-Identifier: MIT */
/*
 * Compares the permutation test of tickwise diff with a plain one that tries all
 * splits, and its intervals with true changes. Fails if a split is missed or taken
 * twice, if figures are not tested together, or if an interval and its test
 * disagree. Fails if an interval misses the true change too often, or if a side
 * that varies more is taken for one that changed. Fails also if a shift or a unit
 * of the values matters.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "command/diff/statistics.h"
#include "diff_runs.h"
#include "tap.h"

#define RUNS		10
#define B_OF_TEN	0x2aaULL	/* every second one */

/* Compute T of pairs of neighbours from the values themselves. */
static double plain_t_of_pairs(const double *values, unsigned runs, uint64_t split)
{
	double mean = 0, squares = 0;

	for (unsigned i = 0; i < runs; i += 2) {
		const double by = split >> i & 1 ? values[i] - values[i + 1] :
						   values[i + 1] - values[i];

		mean += by / (runs / 2);
		squares += by * by;
	}
	squares -= runs / 2 * mean * mean;
	return fabs(mean) / sqrt(squares / (runs / 2 - 1) / (runs / 2));
}

/* Compute the same T from the values themselves. */
static double plain_t(const double *values, unsigned runs, uint64_t split)
{
	double mean[2] = { 0, 0 }, squares[2] = { 0, 0 };
	unsigned count[2] = { 0, 0 };

	for (unsigned i = 0; i < runs; i++) {
		mean[split >> i & 1] += values[i];
		count[split >> i & 1]++;
	}
	mean[0] /= count[0];
	mean[1] /= count[1];
	for (unsigned i = 0; i < runs; i++)
		squares[split >> i & 1] += pow(values[i] - mean[split >> i & 1], 2);
	return fabs(mean[1] - mean[0]) /
	       sqrt(squares[0] / (count[0] - 1) / count[0] +
		    squares[1] / (count[1] - 1) / count[1]);
}

/* Return the part of all splits in which a figure is as far out as in this one. */
static double plain_p(const double *values, unsigned figures, unsigned runs,
		      uint64_t of_b, unsigned figure)
{
	double real = plain_t(&values[figure * runs], runs, of_b);
	unsigned all = 0, as_far = 0;

	for (uint64_t split = 0; split < 1ULL << runs; split++) {
		double most = 0;

		if (__builtin_popcountll(split) != __builtin_popcountll(of_b))
			continue;
		for (unsigned i = 0; i < figures; i++)
			most = fmax(most, plain_t(&values[i * runs], runs, split));
		all++;
		as_far += most >= real * (1 - 1e-9);
	}
	return (double)as_far / all;
}

/* Return the same for @figure, after @shift is subtracted from its B. */
static double shifted_p(const double *values, unsigned runs, uint64_t of_b,
			unsigned figure, double shift)
{
	double moved[3 * RUNS];

	memcpy(moved, values, 3 * runs * sizeof(*moved));
	for (unsigned i = 0; i < runs; i++)
		if (of_b >> i & 1)
			moved[figure * runs + i] -= shift;
	return plain_p(moved, 3, runs, of_b, figure);
}

/* True if the test accepts on this side of an interval's end, and not beyond it. */
static int is_end(const double *values, unsigned runs, uint64_t of_b, unsigned figure,
		  double end, double beyond)
{
	return shifted_p(values, runs, of_b, figure, end - beyond) > TW_DIFF_LEVEL &&
	       shifted_p(values, runs, of_b, figure, end + beyond) <= TW_DIFF_LEVEL;
}

static void against_plain(unsigned runs, uint64_t of_b, const char *what)
{
	double values[3 * RUNS];
	int alike = 1, agree = 1, inverted = 1;

	for (int round = 0; round < 20; round++) {
		struct tw_diff_change changes[3];
		struct tw_diff_sets sets = {
			.level = TW_DIFF_LEVEL, .runs = runs, .of_b = of_b, .figures = 3, .values = values,
		};

		for (unsigned i = 0; i < 3 * runs; i++)
			values[i] = diff_normal() +
				    (i / runs == 1 && of_b >> i % runs & 1 ?
				     round / 5.0 : 0);
		if (tw_diff_test(changes, &sets))
			alike = 0;
		for (unsigned i = 0; i < 3; i++) {
			const struct tw_diff_change *is = &changes[i];

			alike &= diff_nearly(is->p, plain_p(values, 3, runs, of_b, i), 1e-12);
			agree &= (is->low > 0 || is->high < 0) == (is->p <= TW_DIFF_LEVEL);
			if (round % 5 == 0)
				inverted &= is_end(values, runs, of_b, i, is->low, -1e-6) &&
					    is_end(values, runs, of_b, i, is->high, 1e-6);
		}
	}
	tap_ok(alike, "%s: p is that of all splits", what);
	tap_ok(agree, "%s: an interval without 0 is a change found", what);
	tap_ok(inverted, "%s: an interval ends where the test rejects", what);
}

/*
 * Return how many of 400 intervals miss a change: figures whose B is higher by 10
 * deviations and varies @times as much as A.
 */
static unsigned misses(unsigned runs, uint64_t of_b, double times, unsigned figures)
{
	double values[4 * 16];
	const struct tw_diff_sets sets = {
		.level = TW_DIFF_LEVEL, .runs = runs, .of_b = of_b, .figures = figures, .values = values,
	};
	struct tw_diff_change changes[4];
	unsigned missed = 0;

	for (unsigned set = 0; set < 400 / figures; set++) {
		for (unsigned i = 0; i < figures * runs; i++) {
			int is_b = of_b >> i % runs & 1;

			values[i] = diff_normal() * (is_b ? times : 1) + 10 * is_b;
		}
		if (tw_diff_test(changes, &sets))
			return 400;
		for (unsigned i = 0; i < figures; i++)
			missed += changes[i].low > 10 || changes[i].high < 10;
	}
	return missed;
}

/*
 * At 5 %, 20 of 400 are missed, with a deviation of 4.4: three deviations more are
 * 33. The last case is known to miss 9 %, which is 36 with 5.7: four more are 59.
 * With one variance for both sides it would be a hundred.
 */
static void coverage(void)
{
	unsigned alike = misses(RUNS, B_OF_TEN, 1, 4), noisy = misses(16, 0x4444, 4, 1);

	if (!tap_ok(alike <= 33, "an interval has the true change"))
		tap_note("%u of 400 have not", alike);
	if (!tap_ok(noisy <= 59, "12 against 4 that vary 4 times as much: nearly so"))
		tap_note("%u of 400 have not", noisy);
}

/* One figure is further out than in any other split. */
static void far_apart(void)
{
	double values[RUNS];
	const struct tw_diff_sets sets = {
		.level = TW_DIFF_LEVEL, .runs = RUNS, .of_b = B_OF_TEN, .figures = 1, .values = values,
	};
	struct tw_diff_change is, other;

	for (int i = 0; i < RUNS; i++)
		values[i] = i % 2 * 100 + i / 2;
	tw_diff_test(&is, &sets);
	tap_ok(diff_nearly(is.a, 2, 1e-9) && diff_nearly(is.b, 102, 1e-9), "means of the sides");
	tap_ok(diff_nearly(is.spread_a, sqrt(2.5), 1e-9) &&
	       diff_nearly(is.spread_b, sqrt(2.5), 1e-9), "their deviations");
	tap_ok(diff_nearly(is.change, 100, 1e-9), "the change");
	tap_ok(diff_nearly(is.p, 2.0 / 252, 1e-12), "only this split and its mirror");
	/* The t distribution of normal values has 2.306 * 1. */
	tap_ok(diff_nearly(is.high - 100, 2.306, 0.4) && diff_nearly(100 - is.low, is.high - 100,
							  1e-6),
	       "the interval is about Student's");
	for (int i = 0; i < RUNS; i++)
		values[i] = values[i] * 1e-6 + 1;
	tw_diff_test(&other, &sets);
	tap_ok(diff_nearly(other.low * 1e6, is.low, 1e-3) &&
	       diff_nearly(other.high * 1e6, is.high, 1e-3), "unit and origin don't matter");
}

static void no_spread(void)
{
	double values[2 * RUNS];
	const struct tw_diff_sets sets = {
		.level = TW_DIFF_LEVEL, .runs = RUNS, .of_b = B_OF_TEN, .figures = 2, .values = values,
	};
	struct tw_diff_change is[2];

	for (int i = 0; i < RUNS; i++) {
		values[i] = 11.3;
		values[RUNS + i] = i % 2 ? 11.4 : 11.3;
	}
	tw_diff_test(is, &sets);
	tap_ok(diff_nearly(is[0].p, 1, 0) && diff_nearly(is[0].low, 0, 1e-6) &&
	       diff_nearly(is[0].high, 0, 1e-6), "values that are all equal: no change");
	tap_ok(diff_nearly(is[1].p, 2.0 / 252, 1e-12) && diff_nearly(is[1].low, 0.1, 1e-6) &&
	       diff_nearly(is[1].high, 0.1, 1e-6), "equal on each side: exactly that change");
}

/* 3 against 3 have 20 splits: the most extreme two are 10 %. */
static void too_few(void)
{
	double values[] = { 1, 101, 2, 102, 3, 103 };
	struct tw_diff_sets sets = {
		.level = TW_DIFF_LEVEL, .runs = 6, .of_b = 0x2a, .figures = 1, .values = values,
	};
	struct tw_diff_change is;

	tw_diff_test(&is, &sets);
	tap_ok(isinf(is.low) && isinf(is.high) && diff_nearly(is.p, 0.1, 1e-12),
	       "3 against 3 show nothing at 95 %%");
	tap_ok(!tw_diff_can_show(3, 3, 0.05) && tw_diff_can_show(3, 4, 0.05) &&
	       tw_diff_can_show(4, 4, 0.05) && !tw_diff_can_show(16, 1, 0.05) &&
	       tw_diff_can_show(19, 1, 0.05) && !tw_diff_can_show(4, 4, 0.0125), "which can");
	sets.runs = 2;
	sets.of_b = 2;
	tap_ok(!tw_diff_test(&is, &sets) && isinf(is.low) && isinf(is.high) &&
	       diff_nearly(is.change, 100, 1e-9) && diff_nearly(is.spread_a, 0, 0),
	       "1 against 1: the change alone");
	sets.of_b = 0;
	tap_ok(tw_diff_test(&is, &sets) == -EINVAL, "none against 2");
	sets.of_b = 3;
	tap_ok(tw_diff_test(&is, &sets) == -EINVAL, "2 against none");
	sets.runs = TW_DIFF_MAX_RUNS + 1;
	tap_ok(tw_diff_test(&is, &sets) == -EINVAL, "more runs than a split has bits");
}

static void many(void)
{
	double values[TW_DIFF_MAX_RUNS];
	struct tw_diff_sets sets = {
		.level = TW_DIFF_LEVEL, .runs = TW_DIFF_MAX_RUNS, .of_b = 0xaaaaaaaaaaaaaaaaULL, .figures = 1,
		.values = values,
	};
	struct tw_diff_change is, again;

	for (int i = 0; i < TW_DIFF_MAX_RUNS; i++)
		values[i] = diff_normal() + i % 2;
	tap_ok(tw_diff_splits(5, 5, 0) == 252 && tw_diff_splits(8, 8, 0) == 12870 &&
	       tw_diff_splits(32, 32, 0) == 10000 && tw_diff_splits(6, 6, 1) == 64, "how many splits there are");
	tw_diff_test(&is, &sets);
	tw_diff_test(&again, &sets);
	tap_ok(memcmp(&is, &again, sizeof(is)) == 0, "by chance, but the same each time");
	/* Student's: 2 * sqrt(1/32 + 1/32) * 0.97. */
	tap_ok(diff_nearly((is.high - is.low) / 2, 0.5, 0.1), "32 against 32: its interval");
	tap_ok(diff_nearly(is.p, 1e-4, 2e-4), "and its p");
	for (int i = 0; i < TW_DIFF_MAX_RUNS; i++)
		values[i] = i / 2;
	tw_diff_test(&is, &sets);
	tap_ok(is.p > 0.9 && is.low < 0 && is.high > 0, "a drift that both have");
	sets.of_b = 1ULL << 63;
	tap_ok(!tw_diff_test(&is, &sets) && diff_nearly(is.p, 4.0 / 64, 1e-9),
	       "63 against one of the largest");
}

/* Return p of the first figure of two, of pairs, from all exchanges. */
static double plain_p_of_pairs(const double *values, unsigned runs, uint64_t of_b)
{
	const double real = plain_t_of_pairs(values, runs, of_b);
	unsigned as_far = 0;

	for (uint64_t exchanged = 0; exchanged < 1ULL << runs / 2; exchanged++) {
		uint64_t split = of_b;

		for (unsigned i = 0; i < runs / 2; i++)
			split ^= exchanged >> i & 1 ? 3ULL << 2 * i : 0;
		as_far += fmax(plain_t_of_pairs(values, runs, split),
			       plain_t_of_pairs(values + runs, runs, split)) >=
			  real * (1 - 1e-9);
	}
	return (double)as_far / (double)(1ULL << runs / 2);
}

static void pairs_against_plain(void)
{
	const uint64_t of_b = 0x9966 | 2ULL << 16;	/* ABBA ABBA, and one AB more */
	double values[2 * 18], moved[2 * 18];
	struct tw_diff_sets sets = {
		.level = TW_DIFF_LEVEL, .runs = 18, .of_b = of_b, .are_pairs = 1, .figures = 2, .values = values,
	};
	struct tw_diff_change is[2];
	int alike = 1, ends = 1;

	tap_ok(tw_diff_are_pairs(of_b, 18, 0.05) && !tw_diff_are_pairs(0xcccc, 16, 0.05) &&
	       !tw_diff_are_pairs(0x2aa, 10, 0.05) && tw_diff_are_pairs(0xaaa, 12, 0.05) &&
	       !tw_diff_are_pairs(0x2aaa, 14, 0.0125) && tw_diff_are_pairs(0xaaaa, 16, 0.0125),
	       "six or more pairs of neighbours are pairs");
	for (int round = 0; round < 20; round++) {
		for (unsigned i = 0; i < 36; i++)
			values[i] = diff_normal() + (i < 18 && of_b >> i & 1 ? round / 5.0 : 0);
		tw_diff_test(is, &sets);
		alike &= diff_nearly(is[0].p, plain_p_of_pairs(values, 18, of_b), 1e-12);
		for (int side = 0; side < 4; side++) {
			const double end = side & 1 ? is[0].high : is[0].low;
			const double by = side & 1 ? 1e-6 : -1e-6;

			memcpy(moved, values, sizeof(moved));
			for (unsigned i = 0; i < 18; i++)
				moved[i] -= of_b >> i & 1 ? end + (side & 2 ? by : -by) : 0;
			ends &= (plain_p_of_pairs(moved, 18, of_b) <= TW_DIFF_LEVEL) ==
				(side & 2) / 2;
		}
	}
	tap_ok(alike, "pairs: p is that of all exchanges");
	tap_ok(ends, "pairs: an interval ends where the test rejects");
}

/*
 * Fourteen pairs whose sides vary by 30 %, neighbours with a correlation of 0.8: simulated as a
 * level of each pair, and a rest. The interval must hold in 93 to 97 %: of 2,000, with 95 % and a
 * deviation of 10, in 1,860 to 1,940. Its width is sqrt(0.2) of the unpaired one.
 */
static void coverage_of_pairs(void)
{
	double values[28], width[2] = { 0, 0 };
	struct tw_diff_sets sets = {
		.level = TW_DIFF_LEVEL, .runs = 28, .of_b = 0xaaaaaaa, .figures = 1, .values = values,
	};
	struct tw_diff_change is;
	int holds = 0;

	for (int round = 0; round < 2000; round++) {
		double level = 0;

		for (int i = 0; i < 28; i++) {
			level = i % 2 ? level : 0.3 * sqrt(0.8) * diff_normal();
			values[i] = level + 0.3 * sqrt(0.2) * diff_normal() + 0.1 * (i % 2);
		}
		sets.are_pairs = 1;
		tw_diff_test(&is, &sets);
		holds += is.low <= 0.1 && is.high >= 0.1;
		if (round % 50)
			continue;
		width[0] += is.high - is.low;
		sets.are_pairs = 0;
		tw_diff_test(&is, &sets);
		width[1] += is.high - is.low;
	}
	tap_note("pairs: the interval holds in %d of 2000, width %.3f of the unpaired", holds,
		 width[0] / width[1]);
	tap_ok(holds >= 1860 && holds <= 1940, "pairs: an interval of 95 %% holds in 93 to 97 %%");
	tap_ok(width[0] <= 0.6 * width[1], "and has at most 0.6 of the width");
}

int main(void)
{
	against_plain(10, B_OF_TEN, "5 against 5");
	against_plain(9, 0x155, "4 against 5");
	against_plain(8, 0x13, "5 against 3, in a row");
	coverage();
	far_apart();
	no_spread();
	too_few();
	many();
	pairs_against_plain();
	coverage_of_pairs();
	return tap_done();
}
