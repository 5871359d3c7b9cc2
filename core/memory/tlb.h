/* SPDX-License-Identifier: MIT */
/*
 * What misses of the translation caches cost, without what the data caches
 * cost. Internal, pure.
 *
 * Two questions. Each answer is the difference of two medians, with their
 * intervals:
 *
 *	- In a whole memory of some size, how much of a random load's latency is
 *	  translation? Random order less window order, over the same lines:
 *	  window order finds nearly every translation in a cache.
 *	- What does it cost to reach a number of pages? One line a page, less as
 *	  many adjacent lines.
 */
#ifndef TW_MEMORY_TLB_H
#define TW_MEMORY_TLB_H

#include "sweep.h"

/**
 * struct tw_tlb_cost - a difference and its interval
 * @bytes: of memory that is spanned
 * @ns: the difference of the medians; below 0 if the minuend was faster
 * @low_ns, @high_ns: the extreme differences of their 95 % intervals. The two
 *	medians are from different moments. If the core's clock differed between
 *	these, the difference in cycles at the mean clock is in the interval,
 *	too
 */
struct tw_tlb_cost {
	size_t bytes;
	double ns;
	double low_ns, high_ns;
};

/**
 * tw_tlb_of_memory - subtract the window order from the random order, size by size
 * @costs: room for TW_SWEEP_SIZES
 *
 * Return: how many; sizes that one curve lacks are left out.
 */
unsigned tw_tlb_of_memory(struct tw_tlb_cost *costs,
			  const struct tw_curve *random,
			  const struct tw_curve *window);

/**
 * tw_tlb_of_pages - subtract adjacent lines from as many lines with one a page
 *
 * The latency of adjacent lines is taken from @random, between two of its
 * points, and the interval from these two. Return: how many; sizes beyond
 * @random are left out.
 */
unsigned tw_tlb_of_pages(struct tw_tlb_cost *costs,
			 const struct tw_curve *page,
			 const struct tw_curve *random);

#endif
