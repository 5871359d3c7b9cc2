/* SPDX-License-Identifier: MIT */
/*
 * Counting and merging tallies: see tally.h.
 */
#include "report/tally.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "latency/histogram.h"

#define CACHE_LINE	64
#define WITHIN_95	1.96	/* standard deviations */

/* ---- memory --------------------------------------------------------------- */

int tw_by_lat_init(struct tw_by_lat *by_lat)
{
	const size_t size = TW_LAT_SLICES * sizeof(*by_lat->sum_ns);

	if (by_lat->sum_ns)
		return 0;
	by_lat->sum_ns = aligned_alloc(CACHE_LINE,
				       (size + CACHE_LINE - 1) & ~(size_t)(CACHE_LINE - 1));
	if (!by_lat->sum_ns)
		return -ENOMEM;
	/* Touch the memory now, so that the first I/O of a slice does not wait for it. */
	memset(by_lat->sum_ns, 0, size);
	return 0;
}

static void free_sums(struct tw_by_lat *by_lat)
{
	free(by_lat->sum_ns);
	by_lat->sum_ns = NULL;
}

int tw_tally_init(struct tw_tally *tally, const struct tw_metric_set *has, unsigned digits,
		  uint32_t windows)
{
	int error = 0;

	memset(tally, 0, sizeof(*tally));
	tally->has = *has;
	for (int i = 0; i < TW_DIRECTIONS; i++) {
		for (unsigned time = 0; time < TW_TIMES; time++)
			if (!error && tw_has_time(tally, time))
				error = tw_histogram_init(&tally->times[time][i], digits);
		if (!error && tw_has(tally, TW_METRIC_BY_LAT))
			error = tw_by_lat_init(&tally->by_lat[i]);
	}
	if (!error && tw_has(tally, TW_METRIC_OVER_TIME))
		error = tw_windows_init(&tally->over_time, windows);
	return error;
}

void tw_tally_free(struct tw_tally *tally)
{
	for (int i = 0; i < TW_DIRECTIONS; i++) {
		for (int time = 0; time < TW_TIMES; time++)
			tw_histogram_free(&tally->times[time][i]);
		free_sums(&tally->by_lat[i]);
	}
	tw_windows_free(&tally->over_time);
	memset(tally, 0, sizeof(*tally));
}

/* ---- counting -------------------------------------------------------------- */

void tw_tally_reset(struct tw_tally *tally)
{
	for (int i = 0; i < TW_DIRECTIONS; i++) {
		const struct tw_histogram *lat = &tally->times[TW_LAT][i];
		struct tw_by_lat *by_lat = &tally->by_lat[i];

		/* Of the slices that have I/Os. */
		if (by_lat->sum_ns && lat->count)
			memset(&by_lat->sum_ns[tw_lat_slice(lat->min_ns)], 0,
			       (tw_lat_slice(lat->max_ns) + 1 - tw_lat_slice(lat->min_ns)) *
			       sizeof(*by_lat->sum_ns));
		for (int time = 0; time < TW_TIMES; time++)
			tw_histogram_clear_used(&tally->times[time][i]);
	}
	memset(tally->counts, 0, sizeof(tally->counts));
	memset(&tally->scalars, 0, sizeof(tally->scalars));
	if (tw_has(tally, TW_METRIC_OVER_TIME))
		tw_windows_reset(&tally->over_time);
}

unsigned tw_tally_digits(const struct tw_tally *tally)
{
	for (int time = 0; time < TW_TIMES; time++)
		for (int i = 0; i < TW_DIRECTIONS; i++)
			if (tally->times[time][i].bins)
				return tally->times[time][i].digits;
	return 0;
}

uint64_t tw_lat_slice_ios(const struct tw_histogram *lat, unsigned slice, uint32_t *bin)
{
	const uint32_t last = tw__histogram_bin(lat, lat->max_ns);
	uint64_t ios = 0;

	if (lat->count == 0)
		return 0;
	while (*bin <= last && tw_lat_slice(tw_histogram_bin_high(lat, *bin)) <= slice)
		ios += lat->bins[(*bin)++];
	return ios;
}

/* ---- I/Os of which only some were split -------------------------------------- */

/* Return 1 if a time lies between the call that submits an I/O and its completion: 0 for the
 * engine's own stamps. */
static int is_inside(unsigned time)
{
	while (time > TW_LAT && time < TW_TIMES)
		time = tw_time_metrics[time].parent;
	return tw_stage_is_inside((int)time) || time == TW_KERNEL;
}

/* Return the time between queue and deliver of all I/Os. */
static uint64_t inside_ns(const struct tw_tally *tally, int direction)
{
	return tally->times[TW_LAT][direction].sum_ns -
	       tally->times[TW_QUEUE][direction].sum_ns -
	       tally->times[TW_DELIVER][direction].sum_ns -
	       tally->times[TW_BACKLOG][direction].sum_ns;
}

/* Return the sum of the chosen I/Os' stages from submit to the one before @end. */
static u128 chosen_ns(const struct tw_tally *tally, unsigned end, int direction)
{
	u128 sum_ns = 0;

	for (unsigned stage = TW_SUBMIT; stage < end; stage++)
		sum_ns += tally->times[stage][direction].sum_ns;
	return sum_ns;
}

/* `tickwise attach` knows no time of an I/O that was not chosen. */
int tw_tally_is_of_chosen(const struct tw_tally *tally, unsigned time, int direction)
{
	return tw_tally_is_sampled(tally, direction) &&
	       (is_inside(time) ||
		(time == TW_LAT && !tw_has(tally, TW_METRIC_TIMES + TW_QUEUE)));
}

int tw_tally_is_estimate(const struct tw_tally *tally, unsigned time, int direction)
{
	return tw_tally_is_of_chosen(tally, time, direction) &&
	       (time != TW_KERNEL || chosen_ns(tally, TW_KERNEL, direction) ||
		tw_tally_is_of_chosen(tally, TW_LAT, direction));
}

/* Return the sum of a part of a stage. The parts are rounded like stages. */
static uint64_t part_ns(const struct tw_tally *tally, unsigned part, int direction)
{
	const unsigned parent = tw_time_metrics[part].parent;
	const uint64_t own_ns = tally->times[parent][direction].sum_ns;
	const uint64_t all_ns = tw_tally_stage_ns(tally, parent, direction);
	const long double scale = own_ns ? (long double)all_ns / (long double)own_ns : 0;
	u128 before_ns = 0, until_ns;

	for (unsigned time = TW_STAGES; time < part; time++)
		if (tw_time_metrics[time].parent == parent)
			before_ns += tally->times[time][direction].sum_ns;
	until_ns = before_ns + tally->times[part][direction].sum_ns;
	return (until_ns == own_ns ? all_ns : (uint64_t)(scale * (long double)until_ns)) -
	       (before_ns == own_ns ? all_ns : (uint64_t)(scale * (long double)before_ns));
}

uint64_t tw_tally_stage_ns(const struct tw_tally *tally, unsigned stage, int direction)
{
	const long double all_ns = (long double)chosen_ns(tally, TW_KERNEL + 1, direction);
	const uint64_t inside = inside_ns(tally, direction);
	const long double scale = all_ns > 0 ? (long double)inside / all_ns : 0;
	long double before_ns, until_ns;

	if (!tw_tally_is_of_chosen(tally, stage, direction) ||
	    tw_tally_is_of_chosen(tally, TW_LAT, direction))
		return tally->times[stage][direction].sum_ns;
	if (stage > TW_LAT)
		return part_ns(tally, stage, direction);
	if (!(all_ns > 0))
		return stage == TW_KERNEL ? inside : 0;
	before_ns = (long double)chosen_ns(tally, stage, direction);
	until_ns = (long double)chosen_ns(tally, stage + 1, direction);
	/* Differences of rounded sums, so that all stages add up. */
	return (until_ns == all_ns ? inside : (uint64_t)(scale * until_ns)) -
	       (before_ns == all_ns ? inside : (uint64_t)(scale * before_ns));
}

double tw_tally_mean_ns(const struct tw_tally *tally, unsigned time, int direction)
{
	const struct tw_histogram *of = &tally->times[
		tw_time_is_of_lat(time) ? TW_LAT : time][direction];

	return of->count ? (double)tw_tally_stage_ns(tally, time, direction) /
			   (double)of->count : 0;
}

uint64_t tw_tally_chosen(const struct tw_tally *tally, int direction)
{
	const struct tw_counts *counts = &tally->counts[direction];

	return counts->ios - counts->not_chosen;
}

uint64_t tw_tally_time_ios(const struct tw_tally *tally, unsigned time, int direction)
{
	return tw_histogram_values(&tally->times[time][direction]);
}

/* Return how many equal chances the estimates rest on, at least. */
static double every_of(const struct tw_tally *tally)
{
	return fmax((double)tally->scalars.every, 1);
}

int tw_tally_stage_percentile(const struct tw_tally *tally, unsigned stage, int direction,
			      double percent, uint64_t bounds_ns[2])
{
	const struct tw_histogram *chosen = &tally->times[stage][direction];
	const double ios = (double)chosen->count / every_of(tally);
	/* The number of chosen I/Os below a percentile has a binomial distribution. */
	const double error = WITHIN_95 * sqrt(percent * (100 - percent) / ios);

	if (!(percent - error > 0) || !tw_has_percentile(ios, percent + error))
		return 0;
	bounds_ns[0] = tw_histogram_percentile(chosen, percent - error);
	bounds_ns[1] = tw_histogram_percentile(chosen, percent + error);
	return 1;
}

/* Return the sum of the slowest I/Os' lat. */
static double slowest_ns(const struct tw_histogram *lat, double ios)
{
	double sum_ns = 0;

	for (uint32_t bin = lat->count ? tw__histogram_bin(lat, lat->max_ns) + 1 : 0;
	     bin-- > 0 && ios > 0; ios -= (double)lat->bins[bin])
		sum_ns += fmin(ios, (double)lat->bins[bin]) *
			  (double)tw_histogram_bin_high(lat, bin);
	return sum_ns;
}

/*
 * The share of a stage is R = sum of s / sum of t, where t are the times that the chosen
 * I/Os spend between queue and deliver. The error of R is that of the sum of e = s - R t,
 * divided by the sum of t. With a chance of 1 in N that an I/O is chosen, and if it counts N
 * times, the variance of the sum of e is (N - 1) times the sum of all e^2. Since 0 <= s <= t,
 * the sum of s t is at least that of s^2, and e^2 adds up to at most
 * (1 - 2 R) s^2 + R^2 t^2. That of t^2 is not known, but t is at most lat.
 * In an open loop that falls behind, this bound is wide: lat has the backlog, which t has not.
 *
 * For R above 1/2 this would be a small difference of large numbers. The other stages
 * together have the same error. The root of the sum of their squares is at most the sum of
 * the roots of each. Of a part of a stage the first term is left out there: it is negative.
 *
 * The squares are those of the chosen I/Os. Rare I/Os of a kind, fewer than 3 N, may have
 * none among them with a probability of 5 %. They take no more than the 3 N slowest.
 *
 * Where lat is an estimate, R is a mean, so t is 1, and the sum of e^2 is that of s^2 without
 * (sum of s)^2 / I/Os. The slowest are then those of the chosen I/Os.
 */
double tw_tally_stage_error_ns(const struct tw_tally *tally, unsigned stage, int direction)
{
	const struct tw_histogram *lat = &tally->times[TW_LAT][direction];
	const double all_ns = (double)chosen_ns(tally, TW_KERNEL + 1, direction);
	const double inside = (double)inside_ns(tally, direction);
	const double every = every_of(tally);
	const double sum_ns = (double)tally->times[stage][direction].sum_ns;
	double share, root = 0, squares;

	if (!tw_tally_is_estimate(tally, stage, direction))
		return 0;
	if (tw_tally_is_estimate(tally, TW_LAT, direction)) {
		squares = (double)tw_histogram_squares(&tally->times[stage][direction]) -
			  sum_ns * sum_ns / (double)lat->count;
		return WITHIN_95 * sqrt((every - 1) * fmax(squares, 0)) +
		       slowest_ns(lat, 3 * every);
	}
	if (!(all_ns > 0))
		return inside;
	share = sum_ns / all_ns;
	if (stage > TW_LAT)
		root = sqrt((double)tw_histogram_squares(&tally->times[stage][direction]));
	for (unsigned other = TW_SUBMIT; other <= TW_KERNEL && stage < TW_LAT; other++)
		if ((other == stage) == (share <= 0.5))
			root += sqrt((double)tw_histogram_squares(
				&tally->times[other][direction]));
	share = stage < TW_LAT ? fmin(share, 1 - share) : share;
	squares = fmax(1 - 2 * share, 0) * root * root +
		  share * share * (double)tw_histogram_squares(lat);
	return fmin(WITHIN_95 * sqrt((every - 1) * squares) * inside / all_ns +
		    slowest_ns(lat, 3 * every), inside);
}

/* Return the t quantile of a 95 % interval. From 5 degrees of freedom on it is at most 5 %
 * too large: 2.571 for 5, 2.228 for 10, 2.042 for 30. */
static double t_95(double freedom)
{
	return WITHIN_95 + 3.1 / freedom;
}

struct tw_cost tw_tally_cost(const struct tw_scalars *has, int in_lat)
{
	const double count = (double)has->cost_pairs;
	const double off_ps = (double)(in_lat ? has->cost_lat_off_ps : has->cost_cpu_off_ps);
	const double on_ps = (double)(in_lat ? has->cost_lat_on_ps : has->cost_cpu_on_ps);
	const double squares = (double)(in_lat ? has->cost_lat_ns2 : has->cost_cpu_ns2);
	const double mean = (on_ps - off_ps) / 1e3 / count;
	const double spread = fmax(squares - count * mean * mean, 0) / (count - 1);
	const double error = t_95(count - 1) * sqrt(spread / count);

	return (struct tw_cost) { mean, mean - error, mean + error };
}

/* ---- merging ---------------------------------------------------------------- */

int tw_tally_is_empty(const struct tw_tally *tally)
{
	uint64_t seen = 0;

	for (unsigned i = 0; i < TW_METRIC_WORDS; i++)
		seen |= tally->has.bits[i] | tally->lacks.bits[i];
	return !seen;
}

/* Keep the metrics that both have. */
static void merge_metrics(struct tw_tally *into, const struct tw_tally *from)
{
	if (tw_tally_is_empty(into)) {
		into->has = from->has;
		into->lacks = from->lacks;
	}
	for (unsigned i = 0; i < TW_METRIC_WORDS; i++) {
		uint64_t *has = &into->has.bits[i], *lacks = &into->lacks.bits[i];
		uint64_t seen = *has | *lacks | from->has.bits[i] | from->lacks.bits[i];

		*has &= from->has.bits[i];
		*lacks = seen & ~*has;
	}
}

/* A number that is not kept becomes 0. */
static int merge_number(uint64_t *into, uint64_t from, enum tw_merge merge, int is_kept)
{
	if (!is_kept)
		*into = 0;
	else if (merge == TW_SUM)
		return __builtin_add_overflow(*into, from, into) ? -EOVERFLOW : 0;
	else if (from > *into)
		*into = from;
	return 0;
}

static int merge_numbers(struct tw_tally *into, const struct tw_tally *from)
{
	int error = 0;

	for (unsigned metric = 0; metric < TW_COUNTS; metric++)
		for (int i = 0; i < TW_DIRECTIONS && !error; i++)
			error = merge_number(&into->counts[i].at[metric],
					     from->counts[i].at[metric],
					     tw_count_metrics[metric].merge, tw_has(into, metric));
	for (unsigned i = 0; i < TW_SCALARS && !error; i++)
		error = merge_number(&into->scalars.at[i], from->scalars.at[i],
				     tw_scalar_metrics[i].merge, tw_has(into, TW_COUNTS + i));
	return error;
}

static int merge_sums(struct tw_by_lat *into, const struct tw_by_lat *from)
{
	int over = 0;

	if (!from->sum_ns)
		return 0;
	if (tw_by_lat_init(into))
		return -ENOMEM;
	for (unsigned slice = 0; slice < TW_LAT_SLICES; slice++)
		for (int stage = 0; stage < TW_STAGES; stage++)
			over |= __builtin_add_overflow(into->sum_ns[slice][stage],
						       from->sum_ns[slice][stage],
						       &into->sum_ns[slice][stage]);
	return over ? -EOVERFLOW : 0;
}

static int merge_times(struct tw_tally *into, const struct tw_tally *from, int direction)
{
	const int i = direction;
	int error = 0;

	for (unsigned time = 0; time < TW_TIMES && !error; time++)
		if (tw_has_time(into, time))
			error = tw_histogram_merge_into_empty(&into->times[time][i],
						     &from->times[time][i]);
		else
			tw_histogram_free(&into->times[time][i]);
	if (!tw_has(into, TW_METRIC_BY_LAT))
		free_sums(&into->by_lat[i]);
	else if (!error)
		error = merge_sums(&into->by_lat[i], &from->by_lat[i]);
	return error;
}

int tw_tally_merge(struct tw_tally *into, const struct tw_tally *from)
{
	unsigned digits = tw_tally_digits(into);
	int error;

	if (digits && tw_tally_digits(from) && tw_tally_digits(from) != digits)
		return -EINVAL;
	merge_metrics(into, from);
	error = merge_numbers(into, from);
	for (int i = 0; i < TW_DIRECTIONS && !error; i++)
		error = merge_times(into, from, i);
	if (!tw_has(into, TW_METRIC_OVER_TIME))
		tw_windows_free(&into->over_time);
	else if (!error)
		error = tw_windows_merge(&into->over_time, &from->over_time);
	return error;
}
