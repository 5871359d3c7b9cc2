/* SPDX-License-Identifier: MIT */
/*
 * Computes what the hooks take from given block times. The constants are exactly
 * those the blocks were made with. The spreads are those of the unlike ways and of
 * the disturbed half. What can be lost beyond them is the sum of what the
 * independent calls and the many paths show. Fails if that sum is 0, or subtracted
 * where it is below the constants, or if blocks are counted from which no constant
 * comes. Fails also if a calibration at the end that found no memory, or one at the
 * start, halves the constants of the other.
 */
#include <math.h>

#include "profile/cost.h"
#include "tap.h"

#define INSIDE		50.0
#define OUTSIDE		120.0
#define BOTH		(INSIDE + OUTSIDE)

static uint64_t state;

/*
 * Fill in any order: a tenth is below @value, most are at it, and fewer than half
 * of them are more than @disturbed above. The middle one is @value + @disturbed.
 */
static void fill(double *times, int blocks, double value, double disturbed)
{
	for (int i = 0; i < blocks; i++)
		times[i] = i < blocks / 10 ? value - 1 - i :
			   i < blocks / 2 ? value :
			   value + disturbed * (1 + 10 * (i - blocks / 2));
	for (int i = blocks; i-- > 1;) {
		int other = (int)(tap_random(&state) % (uint64_t)(i + 1));
		double moved = times[i];

		times[i] = times[other];
		times[other] = moved;
	}
}

/*
 * Make a way in which each of @calls calls takes @more ticks than BOTH, and the
 * node counts @more_inside than INSIDE.
 */
static struct tw_profile_shown show(int blocks, int calls, double more,
				    double more_inside, double disturbed)
{
	static struct tw_profile_blocks from;
	struct tw_profile_shown shown;
	double alone = 40.0 * calls;

	from.blocks = blocks;
	from.calls = calls;
	fill(from.without, blocks, alone, 3);
	fill(from.with, blocks, alone + calls * (BOTH + more),
	     disturbed * calls);
	fill(from.counted, blocks, alone + INSIDE + more_inside +
	     (calls - 1) * (BOTH + more), disturbed);
	tw_profile_show(&shown, &from);
	return shown;
}

/* Check all constants at once: those that are not named are 0. */
static void is_cost(const struct tw_profile_cost *is, struct tw_profile_cost should,
		    const char *what)
{
	const double apart[] = {
		is->inside - should.inside, is->inside_spread - should.inside_spread,
		is->outside - should.outside, is->outside_spread - should.outside_spread,
		is->untimed - should.untimed, is->untimed_spread - should.untimed_spread,
		is->both_spread - should.both_spread, is->beyond - should.beyond,
	};
	int good = is->samples == should.samples;

	for (size_t i = 0; i < sizeof(apart) / sizeof(*apart); i++)
		if (!(fabs(apart[i]) < 1e-9)) {
			tap_note("%zu: %.3f more than it should be", i, apart[i]);
			good = 0;
		}
	tap_ok(good, "%s", what);
}

/* Make ways that differ by powers of two, so that no two sums are the same. */
static void all_ways(struct tw_profile_shown *ways, double apart, double wide)
{
	ways[TW_PROFILE_EMPTY] = show(81, 1, -8, .5, 0);
	ways[TW_PROFILE_WORK] = show(81, 1, 2, 0, .25);
	ways[TW_PROFILE_NEST] = show(81, 4, 4, 1, .125);
	ways[TW_PROFILE_TREE] = show(81, 5, -2, -.5, 0);
	/* A way far off and disturbed, which is in no spread. */
	ways[TW_PROFILE_APART] = show(81, 1, apart, 64, 32);
	ways[TW_PROFILE_WIDE] = show(27, 585, wide, 64, 32);
}

static void check_constants(void)
{
	/* Inside is that of work, outside halfway from work to tree; beyond are apart and wide,
	 * where they are slower. */
	static const double cases[][3] = { { 25, 14, 39 }, { -25, 14, 14 }, { 25, -14, 25 } };

	for (int i = 0; i < 3; i++) {
		struct tw_profile_shown ways[TW_PROFILE_WAYS];
		struct tw_profile_cost cost = { .untimed = 7, .samples = 5 };

		all_ways(ways, cases[i][0], cases[i][1]);
		tap_ok(fabs(ways[TW_PROFILE_NEST].both - (BOTH + 4)) < 1e-9 &&
		       fabs(ways[TW_PROFILE_NEST].inside - (INSIDE + 1)) < 1e-9, "nested");
		tw_profile_work_out(&cost, ways);
		is_cost(&cost, (struct tw_profile_cost) {
			.inside = INSIDE, .outside = OUTSIDE, .inside_spread = 1 + .25,
			.both_spread = 8 + .25, .outside_spread = 8 + .25 + 1 + .25,
			.beyond = cases[i][2], .samples = 4 * 81 }, "all constants");
	}
}

static void check_join(void)
{
	const struct tw_profile_cost start = {
		.inside = 50, .inside_spread = 1, .outside = 120, .outside_spread = 2,
		.untimed = 30, .untimed_spread = 4, .both_spread = 8, .beyond = 40, .samples = 324,
	}, end = {
		.inside = 54, .inside_spread = 1, .outside = 112, .outside_spread = 2,
		.untimed = 36, .untimed_spread = 4, .both_spread = 8, .beyond = 38, .samples = 324,
	}, nothing = { .samples = 0 };
	struct tw_profile_cost cost = start;

	tw_profile_cost_join(&cost, &end);
	is_cost(&cost, (struct tw_profile_cost) {
		.inside = 52, .inside_spread = 1 + 2, .outside = 116, .outside_spread = 2 + 4,
		.untimed = 33, .untimed_spread = 4 + 3, .both_spread = 8 + 2, .beyond = 40,
		.samples = 648 }, "means of both, and half of the difference in the spread");
	cost = start;
	tw_profile_cost_join(&cost, &nothing);
	is_cost(&cost, start, "nothing at the end: the start's");
	cost = nothing;
	tw_profile_cost_join(&cost, &end);
	is_cost(&cost, end, "nothing at the start: the end's");
}

int main(void)
{
	state = tap_seed();
	check_constants();
	check_join();
	return tap_done();
}
