/* SPDX-License-Identifier: MIT */
/*
 * Finds a rate from brackets: the line through their middles, its uncertainty, and the
 * interval of rates that no bracket forbids. Pure arithmetic.
 *
 * The uncertainty does not come from the scatter of single brackets. Their errors are
 * correlated, because the place of the reading inside the bracket wanders with the core's
 * frequency: the textbook sigma is some thirty times too small. Instead, one of sixteen
 * time blocks after the other is left out (delete-a-block jackknife: Kuensch 1989).
 * Neighbouring blocks that agree more with each other than with the line make the
 * uncertainty larger.
 *
 * The hard interval contains exactly the slopes that in every single bracket pass between
 * the point (after + step, reading) and the point (before, reading + granularity).
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "anchor.h"
#include "array.h"
#include "brackets.h"
#include "counter/step.h"

/* The smallest number of brackets for a fit: three a block. */
#define MIN_USED	(3 * TW_FIT_BLOCKS)
#define MIN_BLOCKS	4
/* With this many blocks no wider brackets are tried. */
#define ENOUGH_BLOCKS	12

struct sums {
	double n, x, y, xx, xy;
};

static void sums_add(struct sums *sums, double x, double y)
{
	sums->n += 1;
	sums->x += x;
	sums->y += y;
	sums->xx += x * x;
	sums->xy += x * y;
}

static struct sums sums_minus(const struct sums *all, const struct sums *part)
{
	return (struct sums) {
		all->n - part->n, all->x - part->x, all->y - part->y,
		all->xx - part->xx, all->xy - part->xy,
	};
}

static double slope_of(const struct sums *sums)
{
	double xx = sums->xx - sums->x * sums->x / sums->n;

	return (sums->xy - sums->x * sums->y / sums->n) / xx;
}

/* Return how far the samples reach over the window, as a lever: evenly spread ones have a
 * standard deviation of 1 / sqrt(12) of the window, and reach 1. If all are in one half,
 * the same drift of the reading's place turns the line twice as far. */
static double reach_of(const struct sums *sums)
{
	double mean = sums->x / sums->n;

	return fmin(1, sqrt(12 * (sums->xx / sums->n - mean * mean)));
}

/* Coordinates that are small enough for doubles: ticks and ns since the first. */
struct frame {
	const struct tw_brackets *brackets;
	uint64_t ticks0;
	uint64_t ns0;
	double span_ticks;
	double ns_per_tick;		/* rough: the fit is of what remains */
	uint64_t narrowest_kept;	/* wider ones are, too, within the tolerance */
	/*
	 * Where in its bracket the reference was read. step_ticks 0: in the middle.
	 * Otherwise at a whole number of steps from the bracket's begin: the number
	 * that is nearest to the line, which begins at phase_ticks.
	 */
	struct places {
		double step_ticks;
		double ns_per_tick;
		double phase_ticks;
	} places;
};

static double before_of(const struct frame *frame, size_t i)
{
	return tw_difference(frame->brackets->bracket[i].before_ticks, frame->ticks0);
}

static double after_of(const struct frame *frame, size_t i)
{
	return tw_difference(frame->brackets->bracket[i].after_ticks, frame->ticks0);
}

static double reference_of(const struct frame *frame, size_t i)
{
	return (double)(frame->brackets->bracket[i].reference_ns - frame->ns0);
}

static uint64_t width_of(const struct frame *frame, size_t i)
{
	const struct tw_bracket *bracket = &frame->brackets->bracket[i];

	return bracket->after_ticks - bracket->before_ticks;
}

/* Return how many ticks after the bracket's begin the reference was read, by
 * the line. */
static double after_begin_ticks(const struct frame *frame, size_t i)
{
	return reference_of(frame, i) / frame->places.ns_per_tick -
	       before_of(frame, i);
}

/* Return when the reference was read, in ticks. */
static double reading_of(const struct frame *frame, size_t i)
{
	const struct places *places = &frame->places;
	double before = before_of(frame, i), steps;

	if (places->step_ticks == 0)
		return (before + after_of(frame, i)) / 2;
	steps = nearbyint((after_begin_ticks(frame, i) - places->phase_ticks) /
			  places->step_ticks);
	return before + steps * places->step_ticks;
}

static int is_kept(const struct frame *frame, size_t i)
{
	uint64_t width = width_of(frame, i);

	return width >= frame->narrowest_kept &&
	       width - frame->narrowest_kept <= frame->brackets->tolerance_ticks;
}

static int frame_init(struct frame *frame, const struct tw_brackets *brackets)
{
	size_t last = brackets->count - 1;

	*frame = (struct frame) { .brackets = brackets };
	frame->ticks0 = brackets->bracket[0].before_ticks;
	frame->ns0 = brackets->bracket[0].reference_ns;
	frame->span_ticks = after_of(frame, last);
	if (frame->span_ticks <= 0 || reference_of(frame, last) <= 0)
		return -EDOM;
	frame->ns_per_tick = reference_of(frame, last) / frame->span_ticks;
	return 0;
}

static unsigned block_of(double place)
{
	unsigned block = place < 0 ? 0 : (unsigned)(place * TW_FIT_BLOCKS);

	return block < TW_FIT_BLOCKS ? block : TW_FIT_BLOCKS - 1;
}

static unsigned block_of_bracket(const struct frame *frame, size_t i)
{
	return block_of((before_of(frame, i) + after_of(frame, i)) / 2 /
			frame->span_ticks);
}

/* Find the narrowest bracket of each block. Sort them; UINT64_MAX is an empty
 * block. */
static void find_narrowest(const struct frame *frame,
			   uint64_t narrowest[TW_FIT_BLOCKS])
{
	unsigned block;

	for (block = 0; block < TW_FIT_BLOCKS; block++)
		narrowest[block] = UINT64_MAX;
	for (size_t i = 0; i < frame->brackets->count; i++) {
		block = block_of_bracket(frame, i);
		if (width_of(frame, i) < narrowest[block])
			narrowest[block] = width_of(frame, i);
	}
	qsort(narrowest, TW_FIT_BLOCKS, sizeof(*narrowest), tw_ascending);
}

/* Return how many blocks have as many samples as a fit needs on average. */
static unsigned blocks_kept(const struct frame *frame)
{
	unsigned samples[TW_FIT_BLOCKS] = { 0 }, blocks = 0, block;

	for (size_t i = 0; i < frame->brackets->count; i++)
		samples[block_of_bracket(frame, i)] += is_kept(frame, i) != 0;
	for (block = 0; block < TW_FIT_BLOCKS; block++)
		blocks += samples[block] >= MIN_USED / TW_FIT_BLOCKS;
	return blocks;
}

/*
 * Choose which widths to keep. They begin with the narrowest of all, unless such
 * brackets are rare: a busy neighbour, or another speed of the core, can make most
 * brackets some ten ns wider, except at a few moments. Then they begin with the
 * narrowest of another block: the first whose like most blocks have, or the one whose
 * like is in more blocks than any other's. Both kinds are never mixed, because their
 * readings are at different places. The choice depends on widths and times only, so it
 * favours no rate.
 *
 * If a counter moves in steps, every block can have a few brackets that are one step
 * narrower than the others, so one step and two steps above the narrowest are tried,
 * too.
 */
static void choose_kept(struct frame *frame,
			const uint64_t narrowest[TW_FIT_BLOCKS])
{
	double step_ticks = frame->brackets->step_ticks;
	uint64_t tried[TW_FIT_BLOCKS + 2], best = narrowest[0];
	unsigned count, most = 0;

	for (count = 0; count < TW_FIT_BLOCKS && narrowest[count] != UINT64_MAX; count++)
		tried[count] = narrowest[count];
	for (unsigned i = 1; i <= 2 && step_ticks > 1; i++)
		tried[count++] = narrowest[0] + (uint64_t)(i * step_ticks - 1);
	for (unsigned i = 0; i < count && most < ENOUGH_BLOCKS; i++) {
		unsigned blocks;

		frame->narrowest_kept = tried[i];
		blocks = blocks_kept(frame);
		if (blocks > most) {
			most = blocks;
			best = tried[i];
		}
	}
	frame->narrowest_kept = best;
}

struct block_fit {
	double slope;			/* of the residual, ns per span */
	double sigma;			/* in the same unit */
	unsigned blocks;
	uint32_t used;
	double width_spread_ticks;	/* standard deviation of kept widths */
	double reach;			/* of the span, see reach_of() */
};

/* Return the factor by which neighbouring blocks that move together widen the jackknife's
 * variance: with the lag-1 autocorrelation r of their mean residuals (1 + r) / (1 - r), as
 * for a first-order autoregressive series, and at least 1. */
static double correlation_factor(const struct sums *block,
				 const struct sums *all, double slope)
{
	double mean = all->y / all->n, centre = all->x / all->n;
	double previous = 0, own = 0, lagged = 0, r;
	int have_previous = 0;

	for (unsigned i = 0; i < TW_FIT_BLOCKS; i++) {
		double residual;

		if (block[i].n == 0) {
			have_previous = 0;
			continue;
		}
		residual = block[i].y / block[i].n - mean -
			   slope * (block[i].x / block[i].n - centre);
		own += residual * residual;
		if (have_previous)
			lagged += residual * previous;
		previous = residual;
		have_previous = 1;
	}
	r = own > 0 ? lagged / own : 0;
	if (r <= 0)
		return 1;
	if (r > 0.8)
		r = 0.8;
	return (1 + r) / (1 - r);
}

static double jackknife_variance(const struct sums *block,
				 const struct sums *all, unsigned blocks)
{
	double mean = 0, variance = 0, left_out[TW_FIT_BLOCKS];

	for (unsigned i = 0; i < TW_FIT_BLOCKS; i++) {
		struct sums rest = sums_minus(all, &block[i]);

		if (block[i].n == 0)
			continue;
		left_out[i] = slope_of(&rest);
		mean += left_out[i] / blocks;
	}
	for (unsigned i = 0; i < TW_FIT_BLOCKS; i++)
		if (block[i].n != 0)
			variance += (left_out[i] - mean) * (left_out[i] - mean);
	return variance * (blocks - 1) / blocks;
}

static int fit_blocks(const struct frame *frame, struct block_fit *fit)
{
	struct sums block[TW_FIT_BLOCKS] = { { 0 } }, all = { 0 };
	double granularity_ns = (double)frame->brackets->granularity_ns;
	double tick_ns = frame->ns_per_tick;
	double widths = 0, squares = 0, rounding;

	for (size_t i = 0; i < frame->brackets->count; i++) {
		double width = (double)width_of(frame, i);
		double reading, place, rest;

		if (!is_kept(frame, i))
			continue;
		reading = reading_of(frame, i);
		place = reading / frame->span_ticks;
		rest = reference_of(frame, i) - reading * frame->ns_per_tick;
		sums_add(&block[block_of(place)], place, rest);
		sums_add(&all, place, rest);
		widths += width;
		squares += width * width;
	}
	fit->blocks = 0;
	for (size_t i = 0; i < TW_FIT_BLOCKS; i++)
		fit->blocks += block[i].n != 0;
	if (all.n < MIN_USED || fit->blocks < MIN_BLOCKS)
		return -EAGAIN;

	fit->used = (uint32_t)all.n;
	fit->slope = slope_of(&all);
	fit->reach = reach_of(&all);
	/* The variance from rounding: each reading is off by up to one whole unit of either
	 * clock, evenly spread, and independent from bracket to bracket. A jackknife of 16
	 * blocks that gives less is too low by chance. */
	rounding = (granularity_ns * granularity_ns + tick_ns * tick_ns) / 12 /
		   (all.xx - all.x * all.x / all.n);
	fit->sigma = sqrt(fmax(jackknife_variance(block, &all, fit->blocks) *
			       correlation_factor(block, &all, fit->slope),
			       rounding));
	fit->width_spread_ticks =
		sqrt(fmax(squares / all.n - widths / all.n * widths / all.n, 0));
	return 0;
}

/* Return the begin of the steps to which the readings are nearest. */
static double phase_ticks(const struct frame *frame)
{
	double turns_per_tick = 2 * M_PI / frame->places.step_ticks;
	double cosines = 0, sines = 0;

	for (size_t i = 0; i < frame->brackets->count; i++) {
		double turns = after_begin_ticks(frame, i) * turns_per_tick;

		if (is_kept(frame, i)) {
			cosines += cos(turns);
			sines += sin(turns);
		}
	}
	return atan2(sines, cosines) / turns_per_tick;
}

/* Return the mean square of what readings miss the nearest step by. */
static double mean_square_miss_ns(const struct frame *frame)
{
	const struct places *places = &frame->places;
	double squares = 0, kept = 0;

	for (size_t i = 0; i < frame->brackets->count; i++) {
		double after = after_begin_ticks(frame, i) - places->phase_ticks;
		double miss_ns = remainder(after, places->step_ticks) * places->ns_per_tick;

		if (is_kept(frame, i)) {
			squares += miss_ns * miss_ns;
			kept += 1;
		}
	}
	return squares / kept;
}

/*
 * Find the places of the readings. If the kernel keeps time by the counter, and the
 * counter moves in steps, the reference was read a whole number of steps after the
 * bracket's begin. The line through the middles tells which number. A line through
 * these places has no error from a reading that wanders inside its bracket: on an AMD
 * guest with steps of 10 ns 0.6 ppb in place of 18 (20 ms, idle), and 1.6 in place of
 * 13 (under load).
 *
 * The data must confirm these places. The readings may miss the steps only by rounding:
 * that of the bracket's begin, of the kernel's own reading of the counter, and of its
 * nanoseconds. A line that is wrong by one step over the window makes the readings of
 * some block miss by more, if there are blocks all over the window.
 *
 * Only PASSES was chosen by the recordings, by the first 30 windows of each kind (idle, under
 * load). There error / sigma was 0.85 and 0.89. In the other 30 windows, which did not choose
 * it, it was 0.75 and 0.83.
 */
#define ROUNDING_TIMES	1.5
#define PASSES		3

static int fit_places(const struct frame *middles, struct block_fit *fit)
{
	double granularity_ns = (double)middles->brackets->granularity_ns;
	double tick_ns = middles->ns_per_tick;
	double rounding_ns2 = (granularity_ns * granularity_ns +
			       2 * tick_ns * tick_ns) / 12;
	struct frame frame = *middles;
	struct places *places = &frame.places;
	struct block_fit found = *fit;
	double step_ns = frame.brackets->step_ticks * tick_ns;

	/* Readings at any place between two steps miss them by step^2 / 12. */
	if (fit->blocks < TW_FIT_MIN_BLOCKS || !frame.brackets->is_of_counter ||
	    frame.brackets->step_ticks <= 1 ||
	    step_ns * step_ns / 12 <= 4 * ROUNDING_TIMES * rounding_ns2)
		return 0;
	places->step_ticks = frame.brackets->step_ticks;
	for (unsigned pass = 0; pass < PASSES; pass++) {
		places->ns_per_tick = frame.ns_per_tick +
				      found.slope / frame.span_ticks;
		places->phase_ticks = phase_ticks(&frame);
		if (fit_blocks(&frame, &found))
			return 0;
	}
	if (mean_square_miss_ns(&frame) > ROUNDING_TIMES * rounding_ns2)
		return 0;
	*fit = found;
	return 1;
}

/*
 * Return the steepest (sign = 1) or flattest (sign = -1) line, in ns per tick, that
 * passes over every (after + step, reading) and under every (before, reading +
 * granularity).
 *
 * The search begins with a line that may be too steep, and turns it through the two
 * points that it violates most, one below and one above. After a few passes the slope
 * is the answer (Dinkelbach's method for a ratio of linear functions). NAN: the two
 * points are in the wrong order, so no line exists.
 */
static double extreme_slope(const struct frame *frame, int sign, double start)
{
	const double granularity_ns = (double)frame->brackets->granularity_ns;
	const double reach_ticks =
		(double)tw_step_reach_ticks(frame->brackets->step_ticks);
	double slope = start;

	for (unsigned pass = 0; pass < 100; pass++) {
		double floor_y = -INFINITY, ceiling_y = INFINITY;
		double floor_x = 0, ceiling_x = 0, gap;

		for (size_t i = 0; i < frame->brackets->count; i++) {
			double y = reference_of(frame, i);
			/* The counter shows the last whole step. */
			double low_x = after_of(frame, i) + reach_ticks;
			double high_x = before_of(frame, i);

			if (y - slope * low_x > floor_y) {
				floor_y = y - slope * low_x;
				floor_x = low_x;
			}
			if (y + granularity_ns - slope * high_x < ceiling_y) {
				ceiling_y = y + granularity_ns - slope * high_x;
				ceiling_x = high_x;
			}
		}
		gap = ceiling_y - floor_y;
		/* Doubles of this size resolve some 1e-7 ns. */
		if (gap > -1e-6)
			return slope;
		/* Turning the line must help the two points that it violates. */
		if (sign * (ceiling_x - floor_x) <= 0)
			return NAN;
		slope += gap / (ceiling_x - floor_x);
	}
	return slope;
}

/*
 * The jackknife can't find what varies more slowly than the window: a drift of the
 * reading's place inside the bracket. The asymmetry is the most that such a drift could
 * do, and a twentieth of it is about its one sigma. In some thousand starts of 20 ms to
 * 1 s, idle and with two busy loops per core, rms(error / sigma) was 0.3 to 0.8, and at
 * most one in a thousand beyond 3 sigma. In simulated starts
 * (tests/unit/clock/rate_simulated.c) it is 0.9, and 0.3 % beyond; with a thirtieth
 * 1.2, and 1.9 %.
 */
#define ASYMMETRY_SIGMAS	20

int tw_fit_brackets(const struct tw_brackets *brackets, struct tw_fit *fit)
{
	uint64_t narrowest[TW_FIT_BLOCKS];
	struct block_fit block_fit;
	struct tw_fit out;
	struct frame frame;
	double window_ns, drift_ns, steep, flat;
	int on_steps, ret;

	if (brackets->count < MIN_USED)
		return -EAGAIN;
	ret = frame_init(&frame, brackets);
	if (ret)
		return ret;
	find_narrowest(&frame, narrowest);
	choose_kept(&frame, narrowest);
	ret = fit_blocks(&frame, &block_fit);
	if (ret)
		return ret;
	/* The hard interval: in a usable window no rate is a tenth off the rough one. */
	steep = extreme_slope(&frame, 1, frame.ns_per_tick * 1.1);
	flat = extreme_slope(&frame, -1, frame.ns_per_tick * 0.9);
	if (!(steep >= flat) || !(flat > 0))
		return -EDOM;
	out.low_hz = 1e9 / steep;
	out.high_hz = 1e9 / flat;
	on_steps = fit_places(&frame, &block_fit);

	window_ns = reference_of(&frame, brackets->count - 1);
	out.hz = 1e9 / (frame.ns_per_tick + block_fit.slope / frame.span_ticks);
	if (on_steps)
		drift_ns = frame.ns_per_tick / 2;
	else
		drift_ns = (block_fit.width_spread_ticks +
			    brackets->step_ticks - 1) / 2 * frame.ns_per_tick;
	out.asymmetry_ppb = (drift_ns + (double)brackets->granularity_ns) /
			    (window_ns * block_fit.reach) * 1e9;
	out.wander_ppb = on_steps ? 0 : out.asymmetry_ppb / ASYMMETRY_SIGMAS;
	/* The slope is in ns over the span. Divided by the window it is the
	 * rate's. */
	out.sigma_ppb = block_fit.sigma / window_ns * 1e9;
	out.window_ns = (uint64_t)window_ns;
	out.bracket_ticks = narrowest[0];
	out.used = block_fit.used;
	out.blocks = block_fit.blocks;
	*fit = out;
	return 0;
}
