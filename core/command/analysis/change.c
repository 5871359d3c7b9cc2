/* SPDX-License-Identifier: MIT */
/*
 * Finds the parts of a run whose levels differ: see change.h.
 */
#include <math.h>
#include <stdint.h>

#include "command/analysis/change.h"

#define SHORTEST	2	/* windows of a part, at least */
#define SERIES		2
_Static_assert(TW_CHANGE_MOST <= UINT8_MAX, "divide() keeps the begins of parts in bytes");
/* Windows have at least this many I/Os on average: noise of counting is 18 %. */
#define LEAST_IOS	32
/* Where I/Os come in bursts, as a limit lets them through, and most windows are empty: bursts of a
 * window, on average. If they are fewer, a burst that moves to the next window is taken for a
 * change. A few long stalls are none. */
#define LEAST_BURSTS	8
#define MAX_PHI		0.98
#define LEAST_LEFT	1e-6	/* of the squares: rounding is no noise */
#define LEAST_ALIKE	0.5	/* correlation of a series and the levels of the run */

static const double phis[] = { 0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95 };

#define PHIS	(sizeof(phis) / sizeof(*phis))

/* A series, and sums of it after it was filtered with phi, which leaves noise without memory. */
struct series {
	double value[TW_CHANGE_MOST];
	double phi, unit;			/* @unit: the variance of what is left */
	double sum[TW_CHANGE_MOST + 1];		/* of the filtered values before a window */
	double squares[TW_CHANGE_MOST + 1];
};

/* The best division of a run into some number of parts. */
struct division {
	size_t begin[TW_CHANGE_PARTS + 1];	/* of each part, and the end of the last one */
	double left;				/* squares that the levels leave */
	double phi;				/* of the likeliest noise */
	double likelihood;			/* twice its logarithm, and a constant */
};

/* Return the value that a normal variable is below with @probability. */
static double normal_quantile(double probability)
{
	double low = -9, high = 9;

	for (int i = 0; i < 50; i++) {
		const double middle = (low + high) / 2;

		if (erfc(-middle / sqrt(2)) / 2 < probability)
			low = middle;
		else
			high = middle;
	}
	return (low + high) / 2;
}

/* Set the scores of the ranks. Equal values get the score of their middle rank. */
static void set_scores(double *score, const double *values, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		size_t below = 0, equal = 0;

		for (size_t j = 0; j < count; j++) {
			below += values[j] < values[i];
			equal += values[j] == values[i];
		}
		score[i] = normal_quantile(((double)below + (double)equal / 2) / (double)count);
	}
}

static void filter(struct series *series, double phi, double unit, size_t count)
{
	series->phi = phi;
	series->unit = unit;
	series->sum[1] = series->squares[1] = 0;
	for (size_t i = 1; i < count; i++) {
		const double value = series->value[i] - phi * series->value[i - 1];

		series->sum[i + 1] = series->sum[i] + value;
		series->squares[i + 1] = series->squares[i] + value * value;
	}
}

/* Return the squares that one level leaves of a part. Before its first window, the noise was as it
 * is on average. */
static double left_of(const struct series *series, size_t from, size_t to)
{
	const double first = 1 - series->phi * series->phi, later = 1 - series->phi;
	const double value = series->value[from];
	const double ones = first + (double)(to - from - 1) * later * later;
	const double with_ones = first * value + later * (series->sum[to] - series->sum[from + 1]);
	const double squares = first * value * value + series->squares[to] -
			       series->squares[from + 1];

	return (squares - with_ones * with_ones / ones) / series->unit;
}

/* Return twice the logarithm of how likely noise with this phi is, of which so much is left. */
static double likelihood(double left, double phi, size_t parts, size_t count)
{
	return (double)parts * log1p(-phi * phi) - (double)count * log(left);
}

/* Find the divisions into 1, 2, ... parts that leave least of all series together: the best one of
 * the windows before @to is the best one before the last part, and that part. */
static void divide(struct division *of, const struct series *series, size_t series_count,
		   size_t count)
{
	double left[TW_CHANGE_PARTS][TW_CHANGE_MOST + 1];
	uint8_t begin[TW_CHANGE_PARTS][TW_CHANGE_MOST + 1];

	for (size_t i = 0; i < TW_CHANGE_PARTS; i++)
		for (size_t to = 0; to <= count; to++) {
			left[i][to] = HUGE_VAL;
			begin[i][to] = 0;
		}
	for (size_t from = 0; from + SHORTEST <= count; from++)
		for (size_t to = from + SHORTEST; to <= count; to++) {
			double of_part = 0;

			for (size_t i = 0; i < series_count; i++)
				of_part += left_of(&series[i], from, to);
			if (!from)
				left[0][to] = of_part;
			for (size_t i = 1; i < TW_CHANGE_PARTS && from; i++)
				if (left[i - 1][from] + of_part < left[i][to]) {
					left[i][to] = left[i - 1][from] + of_part;
					begin[i][to] = (uint8_t)from;
				}
		}
	for (size_t i = 0; i < TW_CHANGE_PARTS; i++) {
		size_t to = of[i].begin[i + 1] = count;

		of[i].left = fmax(left[i][count], LEAST_LEFT * (double)count);
		of[i].phi = series->phi;
		of[i].likelihood = likelihood(of[i].left, of[i].phi, i + 1, count);
		for (size_t j = i + 1; j-- > 0;)
			to = of[i].begin[j] = begin[j][to];
	}
}

/* Find the likeliest divisions of a series. */
static void find_parts(struct division *of, struct series *series, size_t count)
{
	struct division with_phi[TW_CHANGE_PARTS];

	for (size_t i = 0; i < PHIS; i++) {
		filter(series, phis[i], 1, count);
		divide(with_phi, series, 1, count);
		for (size_t j = 0; j < TW_CHANGE_PARTS; j++)
			if (!i || with_phi[j].likelihood > of[j].likelihood)
				of[j] = with_phi[j];
	}
}

/* Return phi as it probably is. Each part takes some of the noise's memory, so the estimate is too
 * small, and more so in fewer windows (Kendall, 1954, for one level). The factor is fitted to
 * simulations. */
static double likely_phi(double phi, size_t parts, size_t count)
{
	return fmin(MAX_PHI, phi + (3.5 * (double)parts - 3) * (1 + 3 * phi) / (double)count);
}

/* Return how much likelier @more parts have to be than @parts. The numbers are fitted, too. Of a
 * run that has changed, a further change needs less proof. */
static double limit(size_t more, size_t parts, double phi, size_t count)
{
	return ((parts > 1 ? 8 : 11) + 9 * (double)(more - parts)) *
	       (0.78 + 0.25 * likely_phi(phi, more, count));
}

static double mean(const double *values, size_t from, size_t to)
{
	double sum = 0;

	for (size_t i = from; i < to; i++)
		sum += values[i];
	return sum / (double)(to - from);
}

/* Does the level of one of the series change at the begin of each part, by a part of itself? */
static int differ(const double (*values)[TW_CHANGE_MOST], size_t series_count,
		  const size_t *begin, size_t parts)
{
	for (size_t i = 1; i < parts; i++) {
		int any = 0;

		for (size_t j = 0; j < series_count; j++) {
			const double last = mean(values[j], begin[i - 1], begin[i]);
			const double next = mean(values[j], begin[i], begin[i + 1]);

			any |= fabs(next - last) > TW_CHANGE_PART * (next + last) / 2;
		}
		if (!any)
			return 0;
	}
	return 1;
}

/* Return the number of parts: several are tested against one, and more against these. @above is
 * how much likelier than one they are, above the limit. @values: NULL, or what has to differ. */
static size_t count_parts(double *above, const struct division *of,
			  const double (*values)[TW_CHANGE_MOST], size_t count)
{
	size_t parts = 1;

	*above = 0;
	for (size_t more = 2; more <= TW_CHANGE_PARTS; more++) {
		const struct division *with = &of[more - 1];

		if (with->likelihood - of[parts - 1].likelihood <=
		    limit(more, parts, with->phi, count) ||
		    (values && !differ(values, 1, with->begin, more)))
			continue;
		parts = more;
		*above = with->likelihood - of->likelihood - limit(more, 1, with->phi, count);
	}
	return parts;
}

/* Return the error of the mean, as a part of it, of noise with this phi. */
static double error_of_mean(const double *values, size_t count, double phi)
{
	const double level = mean(values, 0, count);
	double squares = 0;

	phi = likely_phi(phi, 1, count);
	for (size_t i = 0; i < count; i++)
		squares += (values[i] - level) * (values[i] - level);
	squares *= (1 + phi) / (1 - phi);
	return level > 0 ? 1.96 * sqrt(squares) / (level * (double)count) : 0;
}

/* Return by how much a straight line is likelier than one level, above the limit: what it leaves is
 * a level. */
static double above_of_line(const struct series *series, double likelihood_of_level, size_t count)
{
	struct series rest;
	double slope = 0, squares = 0, best = -HUGE_VAL;

	for (size_t i = 0; i < count; i++) {
		const double at = (double)i - ((double)count - 1) / 2;

		slope += at * series->value[i];
		squares += at * at;
	}
	for (size_t i = 0; i < count; i++)
		rest.value[i] = series->value[i] -
				slope / squares * ((double)i - ((double)count - 1) / 2);
	for (size_t i = 0; i < PHIS; i++) {
		double left, above;

		filter(&rest, phis[i], 1, count);
		left = fmax(left_of(&rest, 0, count), LEAST_LEFT * (double)count);
		above = likelihood(left, phis[i], 1, count) - likelihood_of_level -
			limit(2, 1, phis[i], count);
		best = fmax(best, above);
	}
	return best;
}

/* Return how many windows to merge into one. */
static size_t windows_to_merge(const double *ios, size_t count)
{
	double sum = 0;
	size_t merge = 1, bursts = 0, empty = 0;

	for (size_t i = 0; i < count; i++) {
		sum += ios[i];
		empty += !(ios[i] > 0);
		bursts += ios[i] > 0 && (!i || !(ios[i - 1] > 0));
	}
	while ((sum * (double)merge < LEAST_IOS * (double)count ||
		(2 * empty > count && bursts >= LEAST_BURSTS &&
		 bursts * merge < LEAST_BURSTS * count)) && merge < count)
		merge++;
	return merge;
}

/* Set the two series. A window without I/Os has the lat of the one before it. */
static void set_values(double (*values)[TW_CHANGE_MOST], const double *ios,
		       const double *sum_ns, size_t count, size_t merge)
{
	double last_ns = 0;

	for (size_t i = 0; i < count; i++) {
		double of_ios = 0, of_ns = 0;

		for (size_t j = i * merge; j < (i + 1) * merge; j++) {
			of_ios += ios[j];
			of_ns += sum_ns[j];
		}
		if (of_ios > 0)
			last_ns = of_ns / of_ios;
		values[0][i] = of_ios;
		values[1][i] = last_ns;
	}
}

/* Find the longest part, and the errors of its means. */
static void measure_longest(struct tw_change *change, const double (*values)[TW_CHANGE_MOST],
			    const double *phi, size_t merge)
{
	const size_t *begin = change->begin;
	size_t longest = 0, from, windows;

	for (size_t i = 1; i < change->parts; i++)
		if (begin[i + 1] - begin[i] > begin[longest + 1] - begin[longest])
			longest = i;
	from = begin[longest] / merge;
	windows = begin[longest + 1] / merge - from;
	for (size_t i = 0; i < SERIES; i++)
		change->error[i] = error_of_mean(&values[i][from], windows, phi[i]);
	change->longest = longest;
}

void tw_change_find(struct tw_change *change, const double *ios, const double *sum_ns,
		    size_t count)
{
	const size_t merge = windows_to_merge(ios, count), windows = count;
	double values[SERIES][TW_CHANGE_MOST], most = 0, phi[SERIES];
	struct series series[SERIES];
	struct division of[SERIES][TW_CHANGE_PARTS], both[TW_CHANGE_PARTS];

	*change = (struct tw_change) { .is_tested = count / merge >= TW_CHANGE_LEAST, .parts = 1 };
	if (!change->is_tested)
		return;
	count /= merge;
	set_values(values, ios, sum_ns, count, merge);
	for (size_t i = 0; i < SERIES; i++) {
		const size_t half[] = { 0, count / 2, count };
		double above, of_line;
		size_t parts;
		int is_line;

		set_scores(series[i].value, values[i], count);
		find_parts(of[i], &series[i], count);
		parts = count_parts(&above, of[i], &values[i], count);
		of_line = above_of_line(&series[i], of[i]->likelihood, count);
		is_line = of_line > above && differ(&values[i], 1, half, 2);
		if (is_line) {
			above = of_line;
			parts = 2;
		}
		if (parts > 1 && above > most) {
			most = above;
			change->is_drift = is_line;
		}
		if (parts > change->parts)
			change->parts = parts;
	}
	if (change->is_drift)
		change->parts = 2;
	/* Both series together know the times better. */
	for (size_t i = 0; i < SERIES; i++) {
		phi[i] = of[i][change->parts - 1].phi;
		filter(&series[i], phi[i], of[i][change->parts - 1].left / (double)count, count);
	}
	divide(both, series, SERIES, count);
	/* They may change at other times. */
	for (size_t more = change->parts + 1;
	     change->parts > 1 && !change->is_drift && more <= TW_CHANGE_PARTS; more++)
		if (both[change->parts - 1].left - both[more - 1].left >
		    limit(more, change->parts, MAX_PHI, count) &&
		    differ(values, SERIES, both[more - 1].begin, more))
			change->parts = more;
	for (size_t i = 0; i < change->parts; i++)
		change->begin[i] = both[change->parts - 1].begin[i] * merge;
	change->begin[change->parts] = windows;
	measure_longest(change, values, phi, merge);
}

int tw_change_is_with(const double *values, const double *levels, size_t count)
{
	const double value_mean = count ? mean(values, 0, count) : 0;
	const double level_mean = count ? mean(levels, 0, count) : 0;
	double product = 0, squares = 0, of_levels = 0, above;
	struct division of[TW_CHANGE_PARTS];
	struct series series;

	if (count < TW_CHANGE_LEAST)
		return 0;
	set_scores(series.value, values, count);
	find_parts(of, &series, count);
	for (size_t i = 0; i < count; i++) {
		const double value = values[i] - value_mean;
		const double level = levels[i] - level_mean;

		product += value * level;
		squares += value * value;
		of_levels += level * level;
	}
	return count_parts(&above, of, NULL, count) > 1 &&
	       product > LEAST_ALIKE * sqrt(squares * of_levels);
}
