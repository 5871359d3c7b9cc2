/* SPDX-License-Identifier: MIT */
/*
 * The parts of tickwise memlat: the command line (memlat_command.c), the measurement
 * (memlat_measure.c; the cost of translations in memlat_places.c), and what is printed
 * (memlat_page.c, memlat_json.c). The first three call each other: measuring shows its
 * progress, and the page and the cost of translations are of one measurement.
 */
#ifndef TW_MEMLAT_H
#define TW_MEMLAT_H

#include <jansson.h>

#include "command/output/page.h"
#include "command/command.h"
#include "memory/curve.h"
#include "tickwise.h"

#define TW_MEMLAT		"memlat"
#define TW_MEMLAT_CURVES	16
#define TW_MEMLAT_NODES		64
#define TW_MEMLAT_COSTS		16

/* ---- places, for the cost of translations (memlat_places.c) ----
 *
 * What misses of the translation caches cost a random load, apart from what the data caches cost.
 * In window order nearly every translation of small pages is cached, in random order of a large
 * memory it is not. But the difference of both orders is more than translation: lines that are
 * fetched together, rows of DRAM. And it depends on the place: which physical pages a process
 * got, and thus which lines compete for the same sets of a cache.
 *
 * So both orders visit the same lines of one memory, in turns. Huge pages are the control: there
 * the same difference has all but the translation of small pages. Each place is another memory of
 * both kinds. The difference of both differences is judged over places.
 */

/* Latencies in one place, of random and of window order. */
struct tw_tlb_place {
	double small_ns[2], huge_ns[2];
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

/* ---- what is asked for, and measured ---- */

struct tw_memlat_arguments {
	size_t min_bytes, max_bytes;	/* 0: chosen by the program */
	unsigned per_octave;
	int kinds[TW_CYCLE_KINDS];	/* 1: wanted */
	int pages[TW_PAGES_KINDS];
	int chose_pages;		/* 1: by the user, so all kinds are measured on all */
	int cpu;			/* -1: the CPU that the thread runs on */
	int node;			/* TW_ANY_NODE: the nearest */
	size_t window_bytes, stride_bytes;
	unsigned passes;
	uint64_t seed;
	struct tw_memory_effort effort;
	struct tw_wanted wanted;
	int seed_table;
};

/* The memory of a NUMA node, seen from the CPU that measured. */
struct tw_memlat_node {
	unsigned node;
	struct tw_memory_point point;
};

struct tw_memlat {
	const struct tw_memlat_arguments *arguments;
	struct tw_progress progress;
	double done;			/* part of the run, 0 to 1 */
	struct tw_rate rate;
	struct tw_machine machine;
	unsigned cpu;
	struct tw_cache caches[TW_CACHES];
	unsigned cache_count;
	size_t min_bytes, max_bytes;
	uint64_t available_bytes;	/* as tw_memory_available(), at the start */
	int is_cut;			/* @max_bytes is less than half of the default, for
					 * lack of memory */
	struct tw_curve *curves;
	unsigned curve_count;
	/* The curve with the fewest misses of translations. Sizes up to @visited_up_to_bytes
	 * have the fastest of @visits. */
	struct tw_curve *levels_of;	/* NULL: there is no such curve */
	unsigned visits;		/* 0: none */
	size_t visited_up_to_bytes;
	struct tw_level levels[TW_LEVELS];
	unsigned level_count;
	struct tw_tlb_cost costs[TW_MEMLAT_COSTS];	/* of translations */
	unsigned cost_count;
	const char *no_costs;		/* the reason; NULL: there are some, or they are not
					 * asked for */
	struct tw_memlat_node nodes[TW_MEMLAT_NODES];
	unsigned node_count;		/* 0: there is one node only */
	uint64_t took_ns;
	int was_interrupted;		/* 1: sizes and curves are missing */
	const char *skipped[TW_PAGES_KINDS];	/* the reason; NULL: not skipped */
};

/* Move this thread to the CPU that is asked for, after checking that this CPU and the NUMA
 * node exist. Return: an enum tw_exit, after a message if it is not TW_EXIT_GOOD. */
int tw_memlat_take_place(unsigned *cpu, const struct tw_memlat_arguments *arguments);
/* Measure the rate as tw_rate_measure() does, for as long as latencies need. */
int tw_memlat_calibrate(struct tw_rate *rate);
struct tw_cycle_shape tw_memlat_shape(const struct tw_memlat *memlat, enum tw_cycle_kind kind);

/* Return what sysfs says of a level; NULL: nothing. The last level is none of sysfs's caches if it
 * is flat up to more than twice the size of the last one. */
const struct tw_cache *tw_memlat_cache(const struct tw_memlat *memlat, unsigned i);
/* Return "L1", "L2" and so on for caches, "memory" for the last of several levels. */
const char *tw_memlat_level_name(const struct tw_memlat *memlat, unsigned i);
/* Write "48K", "2M" or "1.5G"; a whole number if possible. @text has TW_FORMAT_SIZE bytes. */
const char *tw_memlat_size(char *text, size_t bytes);
/* The same as an argument. The text lasts until the end of the block. */
#define TW_SAY_SIZE(bytes)	tw_memlat_size((char[TW_FORMAT_SIZE]) { 0 }, bytes)

/* Measure. Return: an enum tw_exit. Other than with TW_EXIT_GOOD a message is printed, and
 * there is nothing to free. */
int tw_memlat_measure(struct tw_memlat *memlat, const struct tw_memlat_arguments *arguments);
void tw_memlat_free(struct tw_memlat *memlat);

/* ---- places (memlat_places.c) ---- */

struct tw_memlat_places {
	size_t sizes[TW_MEMLAT_COSTS];
	unsigned size_count;
	unsigned taken;
	const char *why_not;		/* if it ends here, there are no costs; NULL: they are
					 * not asked for */
	struct tw_memory memories[TW_TLB_PLACES][2];	/* small, huge */
	struct tw_tlb_place places[TW_MEMLAT_COSTS][TW_TLB_PLACES];
	unsigned counts[TW_MEMLAT_COSTS];
};

/* Choose the sizes. Costs are asked for with the random and the window order, on small and
 * on transparent pages. All places take half of what the curves leave at most. */
void tw_memlat_places_plan(struct tw_memlat_places *places, const struct tw_memlat *memlat);

/* Measure in the places that are due when @part of @parts of the run are done. Return: 0;
 * -EINTR; as tw_memory_compare(). */
int tw_memlat_places_visit(struct tw_memlat_places *places, struct tw_memlat *memlat,
			   unsigned part, unsigned parts);

/* Set the costs in @memlat. */
void tw_memlat_places_conclude(const struct tw_memlat_places *places,
			       struct tw_memlat *memlat);
void tw_memlat_places_free(struct tw_memlat_places *places);

/* ---- output ---- */

/* Return the page, to be freed with tw_page_free(), which frees @points too: the table of
 * all points is part of the page, and the whole CSV. */
struct tw_page *tw_memlat_page(const struct tw_memlat *memlat, struct tw_table **points);
json_t *tw_memlat_json(const struct tw_memlat *memlat);

/* Print the table of mistakes (memlat_seed.c). Return: an enum tw_exit. */
int tw_memlat_seed_table(const struct tw_memlat_arguments *arguments);

#endif
