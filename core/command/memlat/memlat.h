/* SPDX-License-Identifier: MIT */
/*
 * tickwise memlat: what to measure (arguments.c), and measuring it (measure.c; what
 * levels are found in: looks.c; NUMA nodes: nodes.c). output.h prints it.
 */
#ifndef TW_MEMLAT_H
#define TW_MEMLAT_H

#include <stdio.h>

#include "command/show.h"
#include "memory/levels.h"
#include "memory/tlb.h"
#include "tickwise.h"

#define TW_MEMLAT		"memlat"
#define TW_MEMLAT_CURVES	16
#define TW_MEMLAT_NODES		64

struct tw_memlat_arguments {
	size_t min_bytes, max_bytes;	/* 0: to be chosen */
	unsigned per_octave;
	int kinds[TW_CYCLE_KINDS];	/* wanted */
	int pages[TW_PAGES_KINDS];
	int chose_pages;		/* by the user: all kinds on all */
	int cpu;			/* -1: where it happens to run */
	int node;			/* TW_ANY_NODE: nearest */
	size_t window_bytes, stride_bytes;
	unsigned passes;
	uint64_t seed;
	struct tw_memory_effort effort;
	struct tw_wanted wanted;
	int seed_table;
};

/* Return: TW_GO_ON; else the command has ended, with this enum tw_exit. */
int tw_memlat_parse(struct tw_memlat_arguments *arguments, char **argv);

/* A NUMA node's memory, from the CPU that measured. */
struct tw_memlat_node {
	unsigned node;
	struct tw_memory_point point;
};

struct tw_memlat {
	struct tw_rate rate;
	struct tw_machine machine;
	unsigned cpu;
	struct tw_cache caches[TW_CACHES];
	unsigned cache_count;
	size_t min_bytes, max_bytes;
	struct tw_curve *curves;
	unsigned curve_count;
	/* From the curve with the fewest misses of translations; of the sizes
	 * that were looked at by themselves, the fastest looks. */
	struct tw_curve *levels_of;	/* NULL: there is no such curve */
	unsigned looks;			/* at each of those sizes; 0: none */
	size_t looked_up_to_bytes;
	struct tw_level levels[TW_LEVELS];
	unsigned level_count;
	struct tw_tlb_cost memory_costs[TW_SWEEP_SIZES];
	unsigned memory_cost_count;
	struct tw_tlb_cost page_costs[TW_SWEEP_SIZES];
	unsigned page_cost_count;
	struct tw_memlat_node nodes[TW_MEMLAT_NODES];
	unsigned node_count;		/* 0: there is only one */
	uint64_t took_ns;
	int was_interrupted;		/* sizes and curves are missing */
	const char *skipped[TW_PAGES_KINDS];	/* why, NULL: not skipped */
};

/* As tw_rate_measure(), for as long as is enough for latencies. */
int tw_memlat_calibrate(struct tw_rate *rate);
/* Return: an enum tw_exit; other than TW_EXIT_GOOD has been said, and there is
 * nothing to free. */
int tw_memlat_measure(struct tw_memlat *memlat,
		      const struct tw_memlat_arguments *arguments);
/* The CPU and the NUMA node that are asked for: there, and this thread goes
 * there. The same return. */
int tw_memlat_take_place(unsigned *cpu,
			 const struct tw_memlat_arguments *arguments);
struct tw_cycle_shape tw_memlat_shape(const struct tw_memlat_arguments *arguments,
				      const struct tw_memlat *memlat,
				      enum tw_cycle_kind kind);

/* ---- levels, looked for again (looks.c) ---- */

struct tw_memlat_looks;

/**
 * tw_memlat_looks_new - to look for levels on such pages
 * @sizes, @count: of the curve; the smaller ones are looked at
 *
 * Return: NULL: out of memory. Ends with tw_memlat_looks_free().
 */
struct tw_memlat_looks *tw_memlat_looks_new(enum tw_pages pages,
					    const size_t *sizes,
					    unsigned count);

/* What share of all looks is due by now is taken: @part of @parts. Return: 0;
 * -EINTR; as tw_curve_measure(). Memory that is not to be had is a look less. */
int tw_memlat_look(struct tw_memlat_looks *looks,
		   const struct tw_memlat *memlat,
		   const struct tw_memlat_arguments *arguments, unsigned part,
		   unsigned parts,
		   int (*progress)(void *context, unsigned point),
		   void *context);

/* Finds the levels of @memlat->levels_of, which at the sizes of @looks becomes
 * the fastest of them. @looks may be NULL. */
void tw_memlat_looks_conclude(const struct tw_memlat_looks *looks,
			      struct tw_memlat *memlat);
void tw_memlat_looks_free(struct tw_memlat_looks *looks);

/**
 * tw_memlat_measure_nodes - the latency of each of these NUMA nodes (nodes.c)
 *
 * In windows, at the largest size. A node whose memory this process may not
 * have is left out, and so is one that was too disturbed. Return: 0; -ENOMEM;
 * -EINTR: @memlat has the nodes that were measured until then.
 */
int tw_memlat_measure_nodes(struct tw_memlat *memlat,
			    const struct tw_memlat_arguments *arguments,
			    const unsigned *nodes, unsigned count);
void tw_memlat_free(struct tw_memlat *memlat);

/* "L1" .. for caches, "memory" for the last level of several. */
const char *tw_memlat_level_name(const struct tw_memlat *memlat, unsigned i);
/* The cache that a level is compared with; NULL: none. */
const struct tw_cache *tw_memlat_level_cache(const struct tw_memlat *memlat,
					     unsigned i);
const struct tw_curve *tw_memlat_find(const struct tw_memlat *memlat,
				      enum tw_cycle_kind kind,
				      enum tw_pages pages);

/* "48K" to the next size: where a level ends, "-": not in the curve. */
#define TW_MEMLAT_END	(2 * TW_FORMAT_SIZE)
const char *tw_memlat_end(char *text, const struct tw_level *level);
/* "48K", "2M", "1.5G"; whole where it is. @text: TW_FORMAT_SIZE bytes. */
const char *tw_memlat_size(char *text, size_t bytes);

/* The table of mistakes: an enum tw_exit. */
int tw_memlat_seed_table(const struct tw_memlat_arguments *arguments);

#endif
