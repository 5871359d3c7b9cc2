/* SPDX-License-Identifier: MIT */
/*
 * What misses of the translation caches cost a random load, apart from what the
 * data caches cost. Internal, pure.
 *
 * In window order nearly every translation of small pages is cached, in random
 * order of a large memory it is not. But the difference of both orders is more
 * than translation: lines that are fetched together, rows of DRAM. And it
 * depends on the place: which physical pages a process got, and thus which lines
 * compete for the same sets of a cache.
 *
 * So both orders visit the same lines of one memory, in turns. Huge pages are
 * the control: there the same difference has all but the translation of small
 * pages. Each place is another memory of both kinds. The difference of both
 * differences is judged over places.
 */
#ifndef TW_MEMORY_TLB_H
#define TW_MEMORY_TLB_H

#include <stddef.h>

/* Latencies of one memory. */
struct tw_tlb_orders {
	double random_ns, window_ns;
};

struct tw_tlb_place {
	struct tw_tlb_orders small, huge;
};

/* A median over places, with its interval: the ranks that hold the median of all
 * places with at least 95 % (binomial), whatever their distribution. */
struct tw_tlb_range {
	double ns, low_ns, high_ns;
};

/**
 * struct tw_tlb_cost - the cost in memory of one size
 * @places: number of places
 * @places_without: in how many of them @translation is not above 0
 * @random_ns: median latency in random order on small pages
 * @small, @huge: random order less window order
 * @translation: @small less @huge in the same place. What huge pages cost, too,
 *	is not in it: in a guest whose host has small pages they miss as well.
 */
struct tw_tlb_cost {
	size_t bytes;
	unsigned places, places_without;
	double random_ns;
	struct tw_tlb_range small, huge, translation;
};

/**
 * tw_tlb_cost_of - compute all but @bytes of a cost
 * @places, @count: up to TW_TLB_PLACES
 *
 * Return: 0; -EAGAIN if fewer than TW_TLB_MIN_PLACES.
 */
#define TW_TLB_PLACES		16
#define TW_TLB_MIN_PLACES	14
int tw_tlb_cost_of(struct tw_tlb_cost *cost, const struct tw_tlb_place *places,
		   unsigned count);

/**
 * tw_tlb_share - tell which share of a random load is translation
 *
 * Tells it only if small pages cost more than huge ones in all places, or in
 * all but one.
 * Where places differ, but translation costs nothing, each place has either sign
 * with the same chance. So this happens in one row of 3855 by chance (16 places;
 * 1092 with 14): 17 / 2^16.
 *
 * Return: 0 to 1; 0: place explains as much.
 */
double tw_tlb_share(const struct tw_tlb_cost *cost);

#endif
