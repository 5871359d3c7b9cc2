/* SPDX-License-Identifier: MIT */
/*
 * What misses of the translation caches cost, apart from what the caches of
 * data cost. Internal, pure.
 *
 * Two questions, two differences, each of two medians with their intervals:
 * of a whole memory of some size, how much of a random load's latency is
 * translation (random order less window order, where nearly every translation
 * is at hand, over the same lines); and of some number of pages, what it costs
 * to reach them (one line a page, less as many lines side by side).
 */
#ifndef TW_MEMORY_TLB_H
#define TW_MEMORY_TLB_H

#include "sweep.h"

/**
 * struct tw_tlb_cost - a difference and its interval
 * @bytes: of memory that is spanned
 * @ns: the difference of the medians; below 0 where the minuend was faster
 * @low_ns, @high_ns: of their 95 % intervals, the widest differences. The two
 *	were not measured at the same moment: where the core's clock was another
 *	by then, the difference in cycles at the mean clock is in the interval, too
 */
struct tw_tlb_cost {
	size_t bytes;
	double ns;
	double low_ns, high_ns;
};

/**
 * tw_tlb_of_memory - random less window, size by size
 * @costs: room for TW_SWEEP_SIZES
 *
 * Return: how many; sizes that one curve lacks are left out.
 */
unsigned tw_tlb_of_memory(struct tw_tlb_cost *costs,
			  const struct tw_curve *random,
			  const struct tw_curve *window);

/**
 * tw_tlb_of_pages - one line a page, less as many lines side by side
 *
 * The latter are taken from @random between its points, their interval from the
 * two beside it. Return: how many; left out where @random does not reach.
 */
unsigned tw_tlb_of_pages(struct tw_tlb_cost *costs,
			 const struct tw_curve *page,
			 const struct tw_curve *random);

#endif
