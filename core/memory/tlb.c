/* SPDX-License-Identifier: MIT */
/*
 * Judges differences of latencies over places, by order statistics.
 */
#include <errno.h>
#include <math.h>

#include "point.h"
#include "tlb.h"

/* The 97.5th percentile of the normal distribution. With 14 to 16 places the
 * ranks are the third or fourth from either end, which hold the median with
 * 97.9 to 99.3 %. */
#define SIGMAS_95	1.96

static struct tw_tlb_range range_of(double *values, unsigned count)
{
	unsigned rank = (unsigned)(count / 2.0 - SIGMAS_95 * sqrt(count) / 2);
	double median = tw_memory_median(values, count);

	return (struct tw_tlb_range) { median, values[rank - 1],
				       values[count - rank] };
}

static double difference(const struct tw_tlb_orders *orders)
{
	return orders->random_ns - orders->window_ns;
}

int tw_tlb_cost_of(struct tw_tlb_cost *cost, const struct tw_tlb_place *places,
		   unsigned count)
{
	double random[TW_TLB_PLACES], small[TW_TLB_PLACES];
	double huge[TW_TLB_PLACES], translation[TW_TLB_PLACES];

	if (count < TW_TLB_MIN_PLACES || count > TW_TLB_PLACES)
		return -EAGAIN;
	cost->places = count;
	cost->places_without = 0;
	for (unsigned i = 0; i < count; i++) {
		random[i] = places[i].small.random_ns;
		small[i] = difference(&places[i].small);
		huge[i] = difference(&places[i].huge);
		translation[i] = small[i] - huge[i];
		cost->places_without += !(translation[i] > 0);
	}
	cost->random_ns = tw_memory_median(random, count);
	cost->small = range_of(small, count);
	cost->huge = range_of(huge, count);
	cost->translation = range_of(translation, count);
	return 0;
}

double tw_tlb_share(const struct tw_tlb_cost *cost)
{
	return cost->places_without > 1 ? 0 :
	       cost->translation.ns / cost->random_ns;
}
