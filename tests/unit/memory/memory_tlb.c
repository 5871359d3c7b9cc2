/* SPDX-License-Identifier: MIT */
/*
 * Where the pages of a process are is never told as a cost of translation, and the
 * interval over places holds in a second run. Fails if one place decides, if the
 * control on huge pages is not subtracted, or if both orders can't be linked into
 * the same lines.
 */
#include <errno.h>
#include <math.h>

#include "memory/cycle.h"
#include "memory/tlb.h"
#include "tap.h"

#define ROWS		2000
#define LINES		4096

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
static struct tw_tlb_orders memory(double translation_ns)
{
	double place = 50 * uniform(), of_random = fmax(200 * uniform() - 100, 0);

	return (struct tw_tlb_orders) {
		80 + place + of_random + translation_ns + uniform() +
			(uniform() < 0.05 ? 30 : 0),
		80 + place + uniform() + (uniform() < 0.05 ? 30 : 0),
	};
}

static struct tw_tlb_cost simulated(double translation_ns)
{
	struct tw_tlb_place places[TW_TLB_PLACES];
	struct tw_tlb_cost cost = { 0 };

	for (int i = 0; i < TW_TLB_PLACES; i++) {
		places[i].small = memory(translation_ns);
		places[i].huge = memory(0);
	}
	tw_tlb_cost_of(&cost, places, TW_TLB_PLACES);
	return cost;
}

/*
 * Without translation a place has either sign with the same chance. A share is told
 * if at most one of 16 is not above 0: 17 / 2^16, 0.5 rows of 2000. More than 6 are
 * one case in a million (Poisson).
 */
static void check_place_is_not_sold(void)
{
	unsigned told = 0;

	for (int i = 0; i < ROWS; i++) {
		struct tw_tlb_cost cost = simulated(0);

		told += tw_tlb_share(&cost) > 0;
	}
	tap_ok(told <= 6, "no share where only places differ (%u of %u rows)",
	       told, ROWS);
}

/*
 * Translation costs 5 ns, far less than places differ. The interval is from the
 * fourth to the thirteenth of 16: it misses the median in 2 x 697 / 2^16 of the
 * rows, which is 42.5 of 2000 with a deviation of 6.5. Five deviations are allowed.
 * If neither of two runs misses it, their intervals overlap.
 */
static void check_interval_holds(void)
{
	unsigned missed = 0, apart = 0;

	for (int i = 0; i < ROWS; i++) {
		struct tw_tlb_range first = simulated(5).translation;
		struct tw_tlb_range second = simulated(5).translation;

		missed += first.low_ns > 5 || first.high_ns < 5;
		apart += first.low_ns > second.high_ns ||
			 second.low_ns > first.high_ns;
	}
	tap_ok(missed <= 75, "the cost is in its interval (not in %u of %u rows)",
	       missed, ROWS);
	tap_ok(apart <= 2 * 75, "a second run's interval overlaps (not in %u of %u)",
	       apart, ROWS);
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

/* Count how many elements a cycle has; 0: it does not come back. */
static size_t length(const struct tw_cycle *cycle)
{
	void **at = tw_cycle_first(cycle);
	size_t count = 0;

	do
		at = *at;
	while (++count <= LINES && at != tw_cycle_first(cycle));
	return count <= LINES ? count : 0;
}

static void check_same_lines(void)
{
	static char memory[LINES * 64] __attribute__((aligned(64)));
	struct tw_cycle_shape shapes[] = {
		{ .kind = TW_CYCLE_RANDOM, .stride_bytes = 64, .seed = 1 },
		{ .kind = TW_CYCLE_WINDOW, .stride_bytes = 64, .seed = 1,
		  .window_bytes = 65536, .passes = 4 },
	};
	struct tw_cycle cycles[2];

	for (size_t half = 1; half <= 2; half++)
		for (size_t i = 0; i < 2; i++) {
			if (half == 1)
				tw_cycle_init(&cycles[i], &shapes[i],
					      memory + i * sizeof(void *));
			tw_cycle_grow(&cycles[i], sizeof(memory) / 2 * half);
		}
	tap_ok(length(&cycles[0]) == LINES && length(&cycles[1]) == LINES,
	       "two orders of the same lines stay whole");
}

int main(void)
{
	state = tap_seed();
	check_place_is_not_sold();
	check_interval_holds();
	check_figures();
	check_same_lines();
	return tap_done();
}
