/* SPDX-License-Identifier: MIT */
/*
 * Which load to try next, and the bounds: see search.h.
 *
 * First come parts of the capacity, in ascending order, which are the curve that is shown. Then
 * loads between the last that seems good and the first that seems bad, until the limit is known
 * about. Last come two loads around it, one on each side, which are tried until both are
 * decided. All but the first are on a grid, so that trials of one load add up.
 */
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "command/options.h"
#include "command/sweep/search.h"

/* Parts of the capacity. Those beyond 1.05 are tried while no load fails, those below 0.1 while
 * none holds. */
static const double parts[] = {
	0.1, 0.25, 0.5, 0.7, 0.85, 0.95, 1.05, 1.3, 1.6, 2.0, 2.5, 3.2, 4.0, 0.03, 0.01, 0.003,
};

#define LEAST_PART	0.1
#define LAST_PART	1.05

#define SHORT_PART	0.25	/* of the full length: trials that only show about where it is */
#define STEPS		4	/* of the grid between the bounds */
#define NEAR_STEPS	4	/* between loads that seem good and bad: the limit is about known */
#define LOWER_STEPS	2.4	/* of STEPS are below the limit: to hold is harder to show */
#define PAIR_STEPS	1.3	/* the pair stays while the limit is no further from that place */
#define FAR_ABOVE	20	/* times the slow I/Os that the goal allows */
#define LAGS		3	/* windows that may belong to one clump, and the one before */
#define ALIKE		1e-6	/* rates of one load differ by less */
#define LEAST_DRIFT	0.05
#define NEAR_PART	4.0	/* loads with this many times the slow I/Os are near the limit */
#define PRIOR_CLUMPS	3.0	/* what loads near the limit tell of a clump counts as much */
#define DEVIATIONS	1.55	/* of the readings: each is wrong in 6 % of cases at the limit */

/* ---- what trials show ---- */

static double share_of(const struct tw_search *search)
{
	return 1 - search->goal.percent / 100;
}

int tw_search_is_behind(const struct tw_search *search, const struct tw_load *load)
{
	const double due = load->rate * load->seconds;

	return load->grows || (load->rate > search->capacity + search->capacity_error &&
			       load->ios < due - 2 * sqrt(due));
}

int tw_search_seems_good(const struct tw_search *search, const struct tw_load *load)
{
	return !tw_search_is_behind(search, load) && load->slow <= share_of(search) * load->ios;
}

/* Return the variance of the number of slow I/Os, if the windows add up to @load; at least that
 * of single I/Os. */
static double variance_of(const struct tw_load *load)
{
	const double part = load->ios > 0 ? load->slow / load->ios : 0;

	return fmax(load->slow, load->slow2 - part * load->mixed + part * part * load->ios2);
}

/* Return how many slow I/Os a clump has, from all loads near the limit together. */
static double clump_near_limit(const struct tw_search *search)
{
	const double share = share_of(search);
	double slow = 0, variance = 0;

	for (size_t i = 0; i < search->count; i++) {
		const struct tw_load *load = &search->loads[i];

		if (load->slow < share / NEAR_PART * load->ios ||
		    load->slow > NEAR_PART * share * load->ios)
			continue;
		slow += load->slow;
		variance += variance_of(load);
	}
	return slow > 0 ? variance / slow : 1;
}

/* Return the same for some trials. Few clumps don't show it, so those near the limit count, too. */
static double clump_of(const struct tw_load *load, double near_limit)
{
	const double own = load->slow > 0 ? variance_of(load) / load->slow : 1;
	const double clumps = load->slow / own;

	return (clumps * own + PRIOR_CLUMPS * near_limit) / (clumps + PRIOR_CLUMPS);
}

/* The square root of a number of clumps has nearly the same deviation, 1/2, for each number. One
 * more clump might have been seen: this is exact enough where none was. */
static int holds(const struct tw_search *search, const struct tw_load *load, double clump)
{
	const double allowed = share_of(search) * load->ios;

	return !load->grows && load->seconds > 0.99 * search->full_s &&
	       2 * (sqrt(allowed / clump) - sqrt(load->slow / clump + 1)) > DEVIATIONS;
}

static int fails(const struct tw_search *search, const struct tw_load *load, double clump)
{
	const double allowed = share_of(search) * load->ios;

	return load->grows || 2 * (sqrt(load->slow / clump) - sqrt(allowed / clump)) > DEVIATIONS;
}

/* Judge a load by its trials, together with those of its neighbours: what a slightly larger one
 * keeps, this one does, too, and where a slightly smaller one fails, this one fails. */
static enum tw_bound judge(const struct tw_search *search, size_t at, double near_limit)
{
	for (int up = 0; up < 2; up++) {
		struct tw_load sum = { .rate = search->loads[at].rate };

		for (size_t i = at; i < search->count; i += up ? 1 : SIZE_MAX) {
			const struct tw_load *load = &search->loads[i];

			if (fabs(log(load->rate / sum.rate)) > log1p(search->width) * (1 + ALIKE))
				break;
			sum.seconds += load->seconds;
			sum.ios += load->ios;
			sum.slow += load->slow;
			sum.slow2 += load->slow2;
			sum.mixed += load->mixed;
			sum.ios2 += load->ios2;
			sum.grows |= tw_search_is_behind(search, load);
			if (up ? holds(search, &sum, clump_of(&sum, near_limit)) :
				 fails(search, &sum, clump_of(&sum, near_limit)))
				return up ? TW_BOUND_HOLDS : TW_BOUND_FAILS;
		}
	}
	return TW_BOUND_UNDECIDED;
}

size_t tw_search_first_good(const struct tw_search *search)
{
	size_t i = 0;

	while (i < search->count && !tw_search_seems_good(search, &search->loads[i]))
		i++;
	return i;
}

static void set_bounds(struct tw_search *search)
{
	const double near_limit = clump_near_limit(search);
	size_t i;

	search->holds = search->fails = 0;
	for (i = 0; i < search->count; i++)
		search->loads[i].bound = judge(search, i, near_limit);
	/* If no load seems good, all count. */
	for (i = tw_search_first_good(search) % search->count;
	     i < search->count && !(search->fails > 0); i++) {
		if (search->loads[i].bound == TW_BOUND_HOLDS)
			search->holds = search->loads[i].rate;
		if (search->loads[i].bound == TW_BOUND_FAILS)
			search->fails = search->loads[i].rate;
	}
}

static int is_alike(double a, double b)
{
	return fabs(a / b - 1) <= ALIKE;
}

/* Return Bartlett's weight for two windows, of both orders. These leave no variance below 0. */
static double weight_of(size_t lag)
{
	return lag ? 2 * (1 - (double)lag / (LAGS + 1)) : 1;
}

struct tw_load *tw_search_load(struct tw_search *search, double rate)
{
	size_t i = 0;

	while (i < search->count && search->loads[i].rate < rate * (1 - ALIKE))
		i++;
	if (i == search->count || !is_alike(search->loads[i].rate, rate)) {
		memmove(&search->loads[i + 1], &search->loads[i],
			(search->count++ - i) * sizeof(*search->loads));
		search->loads[i] = (struct tw_load) { .rate = rate };
	}
	return &search->loads[i];
}

void tw_search_add(struct tw_search *search, double rate, double seconds, int grows,
		   const struct tw_search_window *windows, size_t count)
{
	struct tw_load *load = tw_search_load(search, rate);

	load->seconds += seconds;
	load->grows |= grows;
	for (size_t i = 0; i < count; i++) {
		load->ios += windows[i].ios;
		load->slow += windows[i].slow;
		for (size_t lag = 0; lag <= LAGS && i + lag < count; lag++) {
			const struct tw_search_window *a = &windows[i], *b = a + lag;
			const double weight = weight_of(lag);

			load->slow2 += weight * a->slow * b->slow;
			load->mixed += weight * (a->slow * b->ios + a->ios * b->slow);
			load->ios2 += weight * a->ios * b->ios;
		}
	}
	set_bounds(search);
}

/* ---- which is next ---- */

/* Return the nearest load that the jobs can be given. */
static double given(const struct tw_search *search, double rate)
{
	return search->unit > 0 ? search->unit * fmax(round(rate / search->unit), 1) : rate;
}

static int is_tried(const struct tw_search *search, double rate)
{
	for (size_t i = 0; i < search->count; i++)
		if (is_alike(search->loads[i].rate, rate))
			return 1;
	return 0;
}

/* Is there a load above the first good one that seems bad? */
static int has_bad(const struct tw_search *search)
{
	for (size_t i = tw_search_first_good(search); i < search->count; i++)
		if (!tw_search_seems_good(search, &search->loads[i]))
			return 1;
	return 0;
}

/* Return the next part of the capacity; 0: enough of them were tried. */
static double next_part(const struct tw_search *search)
{
	const int has_good = tw_search_first_good(search) < search->count;
	const int is_over = has_bad(search);

	for (size_t i = 0; i < TW_LENGTH(parts); i++)
		if (!is_tried(search, given(search, parts[i] * search->capacity)) &&
		    (parts[i] < LEAST_PART ? !has_good :
		     !is_over && (parts[i] <= LAST_PART || has_good)))
			return parts[i];
	return 0;
}

/* It tells nothing about where the limit is, but that it is lower. */
static int is_far_above(const struct tw_search *search, const struct tw_load *load)
{
	return tw_search_is_behind(search, load) ||
	       load->slow > FAR_ABOVE * share_of(search) * load->ios;
}

/* Loads of which each is above the one before, as far as they show it. */
struct block {
	double low, high;	/* logarithms of their lowest and highest rate */
	double ios, slow;
};

/* Merge neighbours of which the upper one has no larger part of slow I/Os (pool adjacent
 * violators). Return their number. */
static size_t find_blocks(const struct tw_search *search, struct block *blocks)
{
	size_t count = 0;

	for (size_t i = tw_search_first_good(search); i < search->count; i++) {
		const struct tw_load *load = &search->loads[i];

		blocks[count++] = (struct block) {
			log(load->rate), log(load->rate), load->ios,
			tw_search_is_behind(search, load) ? load->ios : load->slow,
		};
		for (; count > 1 && blocks[count - 2].slow * blocks[count - 1].ios >=
				    blocks[count - 1].slow * blocks[count - 2].ios; count--) {
			struct block *a = &blocks[count - 2], *b = a + 1;

			a->high = b->high;
			a->ios += b->ios;
			a->slow += b->slow;
		}
	}
	return count;
}

static double log_part(const struct block *block)
{
	return log(fmax(block->slow, 0.5) / block->ios);
}

/* Set the place of the limit on the grid, and how far the loads next to it are apart. If all seem
 * good, it is the capacity, or the highest load. Return 0: there is none. */
static int find_limit(const struct tw_search *search, double step, double *limit, double *gap)
{
	const double origin = log(search->capacity), share = share_of(search);
	const double most = log1p(search->capacity_error / search->capacity) / step;
	struct block blocks[TW_SEARCH_LOADS];
	const size_t count = find_blocks(search, blocks);
	size_t i = 1;
	double at;

	*limit = fmin(count ? blocks[count - 1].high / step - origin / step : 0, most);
	*gap = 0;
	while (i < count && blocks[i].slow <= share * blocks[i].ios)
		i++;
	if (i >= count)
		return count > 0;
	*gap = (blocks[i].low - blocks[i - 1].high) / step;
	/* Between two loads the logarithm of the part of slow I/Os is about a line. */
	at = (log(share) - log_part(&blocks[i - 1])) /
	     (log_part(&blocks[i]) - log_part(&blocks[i - 1]));
	*limit = blocks[i - 1].high + *gap * step * fmin(fmax(at, 0.2), 0.8);
	/* A failure counts, and so does a load that holds below it. */
	for (size_t j = tw_search_first_good(search); j < search->count; j++)
		if (is_far_above(search, &search->loads[j]) ||
		    search->loads[j].bound == TW_BOUND_FAILS)
			*limit = fmin(*limit, log(search->loads[j].rate));
	if (search->holds > 0)
		*limit = fmax(*limit, log(search->holds));
	*limit = (*limit - origin) / step;
	return 1;
}

/* Choose one of the two loads that are to become the bounds. Return 0: the lower one holds, and no
 * load seems bad. */
static double next_of_pair(struct tw_search *search, double step, double limit)
{
	double low, high, seconds[2] = { 0 };

	if (!search->has_pair || fabs(limit - search->pair - LOWER_STEPS) > PAIR_STEPS)
		search->pair = (int)round(limit - LOWER_STEPS);
	search->has_pair = 1;
	low = given(search, search->capacity * exp(step * search->pair));
	high = given(search, search->capacity * exp(step * (search->pair + STEPS)));
	high = fmax(high, low + search->unit);
	if (search->holds >= low * (1 - ALIKE))
		return has_bad(search) ? high : 0;
	if (search->fails > 0 && search->fails <= high * (1 + ALIKE))
		return low;
	for (size_t i = 0; i < search->count; i++)
		for (int j = 0; j < 2; j++)
			if (is_alike(search->loads[i].rate, j ? high : low))
				seconds[j] = search->loads[i].seconds;
	return seconds[0] < seconds[1] ? low : high;
}

int tw_search_is_done(const struct tw_search *search)
{
	return search->holds > 0 && search->fails > 0 &&
	       search->fails <= (search->holds * (1 + search->width) + search->unit) *
				(1 + ALIKE);
}

int tw_search_next(struct tw_search *search, struct tw_search_trial *trial)
{
	const double step = log1p(search->width) / STEPS, part = next_part(search);
	double limit, gap;

	*trial = (struct tw_search_trial) {
		given(search, part * search->capacity), SHORT_PART * search->full_s,
	};
	if (part > 0)
		return 1;
	if (search->count == TW_SEARCH_LOADS || !find_limit(search, step, &limit, &gap) ||
	    tw_search_is_done(search))
		return 0;
	trial->rate = given(search, search->capacity * exp(step * round(limit)));
	if (gap > NEAR_STEPS && !is_tried(search, trial->rate))
		return 1;
	trial->seconds = search->full_s;
	trial->rate = next_of_pair(search, step, limit);
	return trial->rate > 0;
}

/* ---- drift ---- */

void tw_windows_mean(double *mean, double *variance, const double *windows, size_t count)
{
	double sum = 0;

	*mean = *variance = 0;
	for (size_t i = 0; i < count; i++)
		*mean += windows[i] / (double)count;
	for (size_t i = 0; i < count; i++)
		for (size_t lag = 0; lag <= LAGS && i + lag < count; lag++)
			sum += weight_of(lag) * (windows[i] - *mean) * (windows[i + lag] - *mean);
	*variance = count ? sum / (double)(count * count) : 0;
}

void tw_drift_find(struct tw_drift *drift, const double *before, size_t before_count,
		   const double *after, size_t after_count)
{
	double mean[2], variance[2];

	tw_windows_mean(&mean[0], &variance[0], before, before_count);
	tw_windows_mean(&mean[1], &variance[1], after, after_count);
	*drift = (struct tw_drift) { 0 };
	if (!(mean[0] > 0) || !(mean[1] > 0))
		return;
	*drift = (struct tw_drift) { mean[1] / mean[0] - 1,
				     2 * sqrt(variance[0] + variance[1]) / mean[0], 1, 0 };
	drift->is_named = fabs(drift->change) > fmax(LEAST_DRIFT, 2 * drift->error);
}

/* ---- the goal ---- */

int tw_goal_read(struct tw_goal *goal, const char *text)
{
	const size_t digits = *text == 'p' ? strspn(text + 1, "0123456789.") : 0;
	struct tw_goal is;
	char *end;

	if (!digits)
		return -EINVAL;
	is.percent = strtod(text + 1, &end);
	if (end != text + 1 + digits || *end != '<')
		return -EINVAL;
	is.ns = tw_option_time_ns(end + 1, NAN);
	if (!(is.percent >= 1 && is.percent <= 99.999 && is.ns >= 1 && is.ns <= 3600e9))
		return -EINVAL;
	*goal = is;
	return 0;
}
