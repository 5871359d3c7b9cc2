/* SPDX-License-Identifier: MIT */
/*
 * Finds the part of a run that differs from the rest: see change.h.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "array.h"
#include "command/analysis/change.h"

/* The part and the rest have at least this fraction of the windows: a sixteenth. A shorter time
 * is a stall. */
#define SHORTEST	16
#define SERIES		2
/* Windows have at least this many I/Os on average: noise of counting is 18 %. */
#define LEAST_IOS	32
#define ROUNDS		8
#define MAX_PHI		0.98
/* The median absolute deviation of normal values is this part of the standard deviation. */
#define MAD		0.6745
#define OUTLIER		4.0	/* standard deviations */
#define LEAST_ALIKE	0.5	/* correlation of the parts of two series that changed together */

/* A series, and its sums after it was filtered with phi. */
struct series {
	double value[TW_CHANGE_MOST];
	double phi;
	double sum[TW_CHANGE_MOST + 1];		/* of the filtered values before a window */
	double filtered[TW_CHANGE_MOST];
	double ones, with_ones;			/* squares of a filtered 1; times the values */
	double left;				/* squares that one level leaves */
};

struct part {
	size_t from, to;
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

/* Return the standard deviation that normal values with this median deviation have. Where more
 * than half of the values are equal, the mean deviation has to do. */
static double spread(const double *values, size_t count, double middle)
{
	double deviation[TW_CHANGE_MOST], sum = 0, estimate;

	for (size_t i = 0; i < count; i++) {
		deviation[i] = fabs(values[i] - middle);
		sum += deviation[i];
	}
	estimate = tw_median(deviation, count) / MAD;
	return estimate > 0 ? estimate : sum / (double)count * sqrt(M_PI / 2);
}

/* Set the values in standard deviations. Outliers are cut: the place of a change is better seen
 * in values than in ranks, but one huge value must not move it. */
static void set_cut(double *cut, const double *values, size_t count)
{
	double sorted[TW_CHANGE_MOST], middle, unit;

	memcpy(sorted, values, count * sizeof(*values));
	middle = tw_median(sorted, count);
	unit = spread(values, count, middle);
	for (size_t i = 0; i < count; i++)
		cut[i] = unit > 0 ? fmax(-OUTLIER, fmin(OUTLIER, (values[i] - middle) / unit)) : 0;
}

/* Filter the series with its phi, which leaves noise without memory. Before the first window,
 * the noise was as it is on average. */
static void filter(struct series *series, size_t count)
{
	const double first = sqrt(1 - series->phi * series->phi), later = 1 - series->phi;
	double squares = 0;

	series->ones = series->with_ones = series->sum[0] = 0;
	for (size_t i = 0; i < count; i++) {
		const double one = i ? later : first;
		const double value = i ? series->value[i] - series->phi * series->value[i - 1] :
				     first * series->value[0];

		series->filtered[i] = value;
		series->sum[i + 1] = series->sum[i] + value;
		series->ones += one * one;
		series->with_ones += one * value;
		squares += value * value;
	}
	series->left = squares - series->with_ones * series->with_ones / series->ones;
}

/* Return by how much two levels leave less than one does. Of the filtered second level are the
 * squares, and its products with the filtered 1 and with the values. */
static double explained(const struct series *series, size_t count, struct part part)
{
	const double phi = series->phi, later = 1 - phi;
	const double first = part.from ? 1 : sqrt(1 - phi * phi);
	const double first_one = part.from ? later : first;
	const double inner = (double)(part.to - part.from - 1) * later * later;
	double squares = first * first + inner, ones = first * first_one + inner, values;

	values = first * series->filtered[part.from] +
		 later * (series->sum[part.to] - series->sum[part.from + 1]);
	if (part.to < count) {		/* the first window after the part */
		squares += phi * phi;
		ones -= phi * later;
		values -= phi * series->filtered[part.to];
	}
	squares -= ones * ones / series->ones;
	values -= ones * series->with_ones / series->ones;
	return squares > 1e-9 ? values * values / squares : 0;
}

/* Return the ratio F of what is explained to the noise. */
static double ratio(double explained_squares, double left, size_t count)
{
	left -= explained_squares;
	return left > DBL_EPSILON * (double)count ?
	       explained_squares / left * ((double)count - 3) : explained_squares > 0 ? HUGE_VAL : 0;
}

/* Find the part that explains most of all series together. */
static struct part best_part(const struct series *series, size_t series_count, size_t count)
{
	const size_t least = count / SHORTEST;
	struct part best = { 0, least }, part;
	double most = -1;

	for (part.from = 0; part.from + least <= count; part.from++)
		for (part.to = part.from + least; part.to <= count; part.to++) {
			double sum = 0;

			if (part.from + count - part.to < least)
				break;
			for (size_t i = 0; i < series_count; i++)
				sum += log1p(ratio(explained(&series[i], count, part),
						   series[i].left, count) / (double)count);
			if (sum > most) {
				most = sum;
				best = part;
			}
		}
	return best;
}

/* Return the correlation of neighbours in what a fit left of a series, if it is above 0. */
static double correlation(const double *rest, size_t count)
{
	double squares = rest[0] * rest[0], products = 0;

	for (size_t i = 1; i < count; i++) {
		squares += rest[i] * rest[i];
		products += rest[i] * rest[i - 1];
	}
	return squares > 0 ? fmax(0, fmin(MAX_PHI, products / squares)) : 0;
}

static int is_outside(size_t i, struct part part)
{
	return i < part.from || i >= part.to;
}

/* Set the means in the part, and in the rest. */
static void set_levels(double level[2], const double *values, size_t count, struct part part)
{
	const size_t inside = part.to - part.from;

	level[0] = level[1] = 0;
	for (size_t i = 0; i < count; i++)
		level[is_outside(i, part)] += values[i];
	level[0] /= (double)inside;
	level[1] /= (double)(count - inside);
}

/* Set phi from what the two levels leave. */
static void set_phi(struct series *series, size_t count, struct part part)
{
	double level[2], rest[TW_CHANGE_MOST];

	set_levels(level, series->value, count, part);
	for (size_t i = 0; i < count; i++)
		rest[i] = series->value[i] - level[is_outside(i, part)];
	series->phi = correlation(rest, count);
}

/* Find the part and phi of one series in turns, until they fit each other. */
static struct part find_part(struct series *series, size_t count)
{
	struct part part = { 0, 0 }, last;

	series->phi = 0;
	for (int i = 0; i < ROUNDS; i++) {
		last = part;
		filter(series, count);
		part = best_part(series, 1, count);
		if (part.from == last.from && part.to == last.to)
			break;
		set_phi(series, count, part);
	}
	filter(series, count);
	return part;
}

/* Return phi as it probably is. Two levels take some of the noise's memory, so the estimate is
 * too small, and more so in fewer windows (Kendall, 1954, for one level). The factor is fitted to
 * simulations. */
static double likely_phi(double phi, size_t count)
{
	return phi + 5 * (1 + 3 * phi) / (double)count;
}

/* Return the ratio F above which a series has changed. The numbers are fitted, too. */
static double limit(double phi, size_t count)
{
	phi = likely_phi(phi, count);
	return 16 + 28 * phi + 12 * phi * phi;
}

/* Return the error of the mean, as a part of it, of noise with this phi. */
static double error_of_mean(const double *values, size_t count, double phi)
{
	double sum = 0, squares = 0;

	phi = fmin(MAX_PHI, likely_phi(phi, count));
	for (size_t i = 0; i < count; i++)
		sum += values[i];
	for (size_t i = 0; i < count; i++)
		squares += (values[i] - sum / (double)count) * (values[i] - sum / (double)count);
	return sum > 0 ? 1.96 * sqrt(squares * (1 + phi) / (1 - phi)) / sum : 0;
}

/* Return by how much the ratio F of a straight line is above its limit; at most 0: it is not.
 * The line has a phi of its own, of what it leaves. */
static double line_above_limit(const struct series *series, size_t count)
{
	struct series of_line = *series, line;
	double sum = 0, slope = 0, squares = 0, products = 0, rest[TW_CHANGE_MOST];

	for (size_t i = 0; i < count; i++) {
		line.value[i] = (double)i - ((double)count - 1) / 2;
		sum += series->value[i];
		slope += line.value[i] * series->value[i];
		squares += line.value[i] * line.value[i];
	}
	for (size_t i = 0; i < count; i++)
		rest[i] = series->value[i] - sum / (double)count - slope / squares * line.value[i];
	of_line.phi = line.phi = correlation(rest, count);
	filter(&of_line, count);
	filter(&line, count);
	for (size_t i = 0; i < count; i++)
		products += line.filtered[i] * of_line.filtered[i];
	products -= line.with_ones * of_line.with_ones / line.ones;
	return ratio(products * products / line.left, of_line.left, count) -
	       limit(of_line.phi, count);
}

/* Return how much the part differs from the rest, relative to the mean of all. */
static double difference(const double *values, size_t count, struct part part)
{
	const double inside = (double)(part.to - part.from) / (double)count;
	double level[2], all;

	set_levels(level, values, count, part);
	all = inside * level[0] + (1 - inside) * level[1];
	return all > 0 ? fabs(level[0] - level[1]) / all : 0;
}

/* Return how many windows to merge into one. */
static size_t windows_to_merge(const double *ios, size_t count)
{
	double sum = 0;
	size_t merge = 1;

	for (size_t i = 0; i < count; i++)
		sum += ios[i];
	while (sum * (double)merge < LEAST_IOS * (double)count && merge < count)
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

void tw_change_find(struct tw_change *change, const double *ios, const double *sum_ns,
		    size_t count)
{
	const size_t merge = windows_to_merge(ios, count), windows = count;
	double values[SERIES][TW_CHANGE_MOST], most = 0;
	struct series series[SERIES];
	struct part part, changed = { 0, 0 };

	*change = (struct tw_change) { .is_tested = count / merge >= TW_CHANGE_LEAST };
	if (!change->is_tested)
		return;
	count /= merge;
	set_values(values, ios, sum_ns, count, merge);
	for (size_t i = 0; i < SERIES; i++) {
		struct series *of = &series[i];
		double levels, line;

		set_scores(of->value, values[i], count);
		part = find_part(of, count);
		levels = ratio(explained(of, count, part), of->left, count) -
			 limit(of->phi, count);
		line = line_above_limit(of, count);
		if (fmax(levels, line) > most && difference(values[i], count, part) >=
						TW_CHANGE_PART) {
			most = fmax(levels, line);
			change->is_found = 1;
			change->is_drift = line > levels;
			changed = part;
		}
		change->error[i] = error_of_mean(values[i], count, of->phi);
		set_cut(of->value, values[i], count);
		filter(of, count);
	}
	part = best_part(series, SERIES, count);
	/* Both series together know the time better, but a part may be in one of them alone. */
	if (change->is_found && difference(values[0], count, part) < TW_CHANGE_PART &&
	    difference(values[1], count, part) < TW_CHANGE_PART)
		part = changed;
	change->from = part.from * merge;
	change->to = part.to == count ? windows : part.to * merge;
}

/* Return the correlation of two parts: 1 if they are the same, -1 if one is all but the other. */
static double alike(struct part a, struct part b, double count)
{
	const double of_a = (double)(a.to - a.from), of_b = (double)(b.to - b.from);
	const double from = fmax((double)a.from, (double)b.from);
	const double both = fmax(0, fmin((double)a.to, (double)b.to) - from);

	return (count * both - of_a * of_b) /
	       sqrt(of_a * (count - of_a) * of_b * (count - of_b));
}

int tw_change_is_with(double level[2], const double *values, size_t count, size_t from, size_t to)
{
	const struct part part = { from, to };
	struct series series;
	struct part own;

	if (count < TW_CHANGE_LEAST || from >= to || to - from == count)
		return 0;
	set_levels(level, values, count, part);
	set_scores(series.value, values, count);
	own = find_part(&series, count);
	return ratio(explained(&series, count, own), series.left, count) >
	       limit(series.phi, count) && fabs(alike(own, part, (double)count)) >= LEAST_ALIKE;
}
