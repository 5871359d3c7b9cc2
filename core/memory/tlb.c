/* SPDX-License-Identifier: MIT */
/*
 * Computes differences of curves.
 */
#include <math.h>

#include "tlb.h"

/* Widen the interval. Caches run at the core's clock, memory does not: so both
 * the difference in ns and that in cycles are in it. */
static void allow_for_clock(struct tw_tlb_cost *cost, double ns,
			    double cycle_ns, double other_ns,
			    double other_cycle_ns)
{
	double mean = (cycle_ns + other_cycle_ns) / 2, shift;

	if (!(cycle_ns > 0) || !(other_cycle_ns > 0))
		return;
	shift = (ns / cycle_ns - other_ns / other_cycle_ns) * mean -
		(ns - other_ns);
	if (shift < 0)
		cost->low_ns += shift;
	else
		cost->high_ns += shift;
}

unsigned tw_tlb_of_memory(struct tw_tlb_cost *costs,
			  const struct tw_curve *random,
			  const struct tw_curve *window)
{
	unsigned n = 0;

	for (unsigned i = 0; i < random->count; i++) {
		const struct tw_memory_point *all = &random->points[i];
		const struct tw_memory_point *light =
			tw_curve_point(window, all->bytes);

		if (!light || !all->batches)
			continue;
		costs[n++] = (struct tw_tlb_cost) {
			.bytes = all->bytes,
			.ns = all->median_ns - light->median_ns,
			.low_ns = all->low_ns - light->high_ns,
			.high_ns = all->high_ns - light->low_ns,
		};
		allow_for_clock(&costs[n - 1], all->median_ns, all->cycle_ns,
				light->median_ns, light->cycle_ns);
	}
	return n;
}

/* Return how far the interval of the point before, or of that after, reaches
 * from its median: the larger of the two. Set the core's clock there. */
static double reach(const struct tw_curve *curve, double bytes,
		    double *cycle_ns)
{
	double before = 0, after = 0;

	*cycle_ns = 0;
	for (unsigned i = 0; i < curve->count; i++) {
		const struct tw_memory_point *point = &curve->points[i];
		double most = fmax(point->high_ns - point->median_ns,
				   point->median_ns - point->low_ns);

		if (!point->batches)
			continue;
		*cycle_ns = point->cycle_ns;
		if ((double)point->bytes <= bytes)
			before = most;
		if ((double)point->bytes >= bytes) {
			after = most;
			break;
		}
	}
	return fmax(before, after);
}

unsigned tw_tlb_of_pages(struct tw_tlb_cost *costs,
			 const struct tw_curve *page,
			 const struct tw_curve *random)
{
	unsigned n = 0;

	for (unsigned i = 0; i < page->count; i++) {
		const struct tw_memory_point *point = &page->points[i];
		double bytes = (double)point->footprint_bytes;
		double dense_ns = tw_curve_at(random, bytes);
		double cycle_ns;
		double dense_reach = reach(random, bytes, &cycle_ns);

		if (!point->batches || !(dense_ns > 0))
			continue;
		costs[n++] = (struct tw_tlb_cost) {
			.bytes = point->bytes,
			.ns = point->median_ns - dense_ns,
			.low_ns = point->low_ns - dense_ns - dense_reach,
			.high_ns = point->high_ns - dense_ns + dense_reach,
		};
		allow_for_clock(&costs[n - 1], point->median_ns,
				point->cycle_ns, dense_ns, cycle_ns);
	}
	return n;
}
