/* SPDX-License-Identifier: MIT */
/*
 * Where the pages of a process are is never told as a cost of translation: its interval has the
 * ranks that hold the median over places with 95 %, and there is a share only if at most one
 * place has no cost. Without translation a place has either sign with the same chance, so of 16
 * that is 17 / 2^16. Fails if one place decides, or if the control on huge pages is not
 * subtracted.
 */
#include <errno.h>
#include <math.h>

#include "memory/command/memlat.h"
#include "tap.h"

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
	check_figures();
	return tap_done();
}
