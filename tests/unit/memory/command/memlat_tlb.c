/* SPDX-License-Identifier: MIT */
/*
 * Where the pages of a process are is never told as a cost of translation, and the
 * interval over places holds in a second run. Fails if one place decides, or if the
 * control on huge pages is not subtracted.
 */
#include <errno.h>
#include <math.h>

#include "memory/command/memlat.h"
#include "tap.h"

#define ROWS		2000

static uint64_t state;

static double uniform(void)
{
	return (double)(tap_random(&state) >> 11) / 0x1p53;
}

/*
 * Simulate one memory. Which lines compete for the sets of a cache adds up to
 * 50 ns to both orders, and in every other memory up to 100 ns to the random order
 * alone, as it was once seen. One of twenty figures is disturbed.
 */
static void memory(double ns[2], double translation_ns)
{
	double place = 50 * uniform(), of_random = fmax(200 * uniform() - 100, 0);

	ns[0] = 80 + place + of_random + translation_ns + uniform() +
		(uniform() < 0.05 ? 30 : 0);
	ns[1] = 80 + place + uniform() + (uniform() < 0.05 ? 30 : 0);
}

static struct tw_tlb_cost simulated(double translation_ns)
{
	struct tw_tlb_place places[TW_TLB_PLACES];
	struct tw_tlb_cost cost = { 0 };

	for (int i = 0; i < TW_TLB_PLACES; i++) {
		memory(places[i].small_ns, translation_ns);
		memory(places[i].huge_ns, 0);
	}
	tw_tlb_cost_of(&cost, places, TW_TLB_PLACES);
	return cost;
}

/*
 * Without translation a place has either sign with the same chance. A share is told if at most
 * one of 16 is not above 0: 17 / 2^16, 0.5 rows of 2000. More than 6 are one case in a million
 * (Poisson).
 *
 * If translation costs 5 ns, which is far less than places differ, the interval is from the
 * fourth to the thirteenth of 16: it misses the median in 2 x 697 / 2^16 of the rows, which is
 * 42.5 of 2000 with a deviation of 6.5. Five deviations are allowed. If neither of two runs
 * misses it, their intervals overlap.
 */
static void check_simulated(void)
{
	unsigned told = 0, missed = 0, apart = 0;

	for (int i = 0; i < ROWS; i++) {
		struct tw_tlb_cost cost = simulated(0);
		struct tw_tlb_range first = simulated(5).translation;
		struct tw_tlb_range second = simulated(5).translation;

		told += tw_tlb_share(&cost) > 0;
		missed += first.low_ns > 5 || first.high_ns < 5;
		apart += first.low_ns > second.high_ns || second.low_ns > first.high_ns;
	}
	tap_ok(told <= 6, "no share where only places differ (%u of %u rows)", told, ROWS);
	tap_ok(missed <= 75, "the cost is in its interval (not in %u of %u rows)", missed, ROWS);
	tap_ok(apart <= 2 * 75, "a second run's interval overlaps (not in %u)", apart);
}

/* Make a place where random order takes 100 ns on small pages. */
static struct tw_tlb_place place_of(double small_ns, double huge_ns)
{
	return (struct tw_tlb_place) { { 100, 100 - small_ns },
				       { 70, 70 - huge_ns } };
}

static int is(struct tw_tlb_range range, double ns, double low_ns, double high_ns)
{
	return fabs(range.ns - ns) + fabs(range.low_ns - low_ns) +
	       fabs(range.high_ns - high_ns) < 1e-9;
}

static void check_figures(void)
{
	struct tw_tlb_place places[TW_TLB_PLACES];
	struct tw_tlb_cost cost = { 0 };

	for (int i = 0; i < TW_TLB_PLACES; i++)
		places[i] = place_of(10 + i, i % 2 ? 4 : 2);
	tap_ok(tw_tlb_cost_of(&cost, places, 13) == -EAGAIN,
	       "13 places are too few");
	tap_ok(tw_tlb_cost_of(&cost, places, 14) == 0 && cost.places == 14 &&
	       is(cost.small, 16.5, 12, 21), "14 are enough: third to twelfth");
	tap_ok(tw_tlb_cost_of(&cost, places, 16) == 0 && cost.places == 16 &&
	       is(cost.small, 17.5, 13, 22) && is(cost.huge, 3, 2, 4),
	       "of 16: fourth to thirteenth, on small and on huge pages");
	/* 8 7 10 9 12 11 ... 22 21 */
	tap_ok(is(cost.translation, 14.5, 10, 19) && cost.places_without == 0 &&
	       fabs(tw_tlb_share(&cost) - 0.145) < 1e-9,
	       "translation is the difference in each place");
	places[3] = place_of(10, 10);
	tw_tlb_cost_of(&cost, places, 16);
	tap_ok(cost.places_without == 1 && tw_tlb_share(&cost) > 0,
	       "a share in spite of one place without a cost");
	places[8] = place_of(10, 12);
	tw_tlb_cost_of(&cost, places, 16);
	tap_ok(cost.places_without == 2 && !(tw_tlb_share(&cost) > 0) &&
	       cost.translation.low_ns > 0, "but none with two");
}

int main(void)
{
	state = tap_seed();
	check_simulated();
	check_figures();
	return tap_done();
}
