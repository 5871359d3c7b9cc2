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

static void is_ticks(double is, double should, const char *what)
{
	tap_ok(fabs(is - should) < 1e-9, "%s: %.3f of %.3f", what, is, should);
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
	struct tw_profile_shown ways[TW_PROFILE_WAYS];
	struct tw_profile_cost cost = { .untimed = 7, .samples = 5 };

	all_ways(ways, 25, 14);
	is_ticks(ways[TW_PROFILE_NEST].both, BOTH + 4, "nested: both");
	is_ticks(ways[TW_PROFILE_NEST].inside, INSIDE + 1, "nested: inside");
	tw_profile_work_out(&cost, ways);
	is_ticks(cost.inside, INSIDE, "inside is that of work");
	is_ticks(cost.outside, OUTSIDE, "outside halfway from work to tree");
	is_ticks(cost.inside_spread, 1 + .25, "inside's spread");
	is_ticks(cost.both_spread, 8 + .25, "that of both");
	is_ticks(cost.outside_spread, 8 + .25 + 1 + .25, "outside's");
	is_ticks(cost.beyond, 25 + 14, "beyond: apart and wide");
	tap_is_u64(cost.samples, 4 * 81,
		   "blocks that the constants come from, no others");

	all_ways(ways, -25, 14);
	tw_profile_work_out(&cost, ways);
	is_ticks(cost.beyond, 14, "beyond: apart is faster");
	all_ways(ways, 25, -14);
	tw_profile_work_out(&cost, ways);
	is_ticks(cost.beyond, 25, "beyond: wide is faster");
}

static void check_join(void)
{
	const struct tw_profile_cost start = {
		.inside = 50, .inside_spread = 1, .outside = 120,
		.outside_spread = 2, .untimed = 30, .untimed_spread = 4,
		.both_spread = 8, .beyond = 40, .samples = 324,
	}, end = {
		.inside = 54, .inside_spread = 1, .outside = 112,
		.outside_spread = 2, .untimed = 36, .untimed_spread = 4,
		.both_spread = 8, .beyond = 38, .samples = 324,
	}, nothing = { .samples = 0 };
	struct tw_profile_cost cost = start;

	tw_profile_cost_join(&cost, &end);
	is_ticks(cost.inside, 52, "mean of both calibrations: inside");
	is_ticks(cost.outside, 116, "outside");
	is_ticks(cost.untimed, 33, "untimed");
	is_ticks(cost.inside_spread, 1 + 2, "half of the difference: inside");
	is_ticks(cost.outside_spread, 2 + 4, "outside");
	is_ticks(cost.both_spread, 8 + 2, "both");
	is_ticks(cost.untimed_spread, 4 + 3, "untimed");
	is_ticks(cost.beyond, 40, "beyond: the larger");
	tap_is_u64(cost.samples, 648, "blocks of both");

	cost = start;
	tw_profile_cost_join(&cost, &nothing);
	is_ticks(cost.inside, 50, "nothing at the end: the start's");
	tap_is_u64(cost.samples, 324, "and its blocks");
	cost = nothing;
	tw_profile_cost_join(&cost, &end);
	is_ticks(cost.inside, 54, "nothing at the start: the end's");
	is_ticks(cost.inside_spread, 1, "with its spread");
	tap_is_u64(cost.samples, 324, "and its blocks");
}

int main(void)
{
	state = tap_seed();
	check_constants();
	check_join();
	return tap_done();
}
