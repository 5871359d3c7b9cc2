/* SPDX-License-Identifier: MIT */
/*
 * The levels of a memory hierarchy, found in a curve of latencies, and what
 * sysfs says of them. Internal, pure.
 */
#ifndef TW_MEMORY_LEVELS_H
#define TW_MEMORY_LEVELS_H

#include "caches.h"
#include "sweep.h"

#define TW_LEVELS	8

/**
 * struct tw_level - where a curve is flat
 *
 * @size_bytes: its capacity: the largest size measured at which fewer than half
 *	of the loads come from the next level, which is where latency is below
 *	the middle between the two levels. 0: of the last one, which has no end
 *	in the curve.
 * @next_bytes: the next size that was measured: the end lies between the two
 * @latency_ns: median of the points of the flat part
 * @low_ns, @high_ns: the least and the most of their medians
 * @error_ns: the widest of their 95 % intervals reaches so far from its median
 * @cycles: of the core at its fastest, the median of what its sizes were judged
 *	by: of the fastest batches or of medians; 0: unknown
 * @cycle_ns: of the core at its fastest; 0: unknown
 * @points: in the flat part
 */
struct tw_level {
	size_t size_bytes, next_bytes;
	double latency_ns, low_ns, high_ns, error_ns;
	double cycles, cycle_ns;
	unsigned points;
};

/**
 * tw_levels_find - the flat parts of a curve
 * @looks: NULL, or another curve in an order without phases: its sizes are judged
 *	by its fastest batches, and its points stand for those of @curve. What
 *	else uses the same cache, another guest of the host for example, makes
 *	loads longer and never shorter. Other sizes are judged by medians: where
 *	an order has phases, its fastest batch is of one that a cache still holds.
 *
 * A part is flat where latency grows by less than TW_LEVEL_SLOPE octaves an
 * octave of size, seen over an octave; between two flat parts it must have
 * grown by TW_LEVEL_RISE at least. Lone outliers are smoothed away by a median
 * of three, which leaves steps as they are.
 *
 * Return: how many, up to TW_LEVELS; 0 for a curve with too few points.
 */
#define TW_LEVEL_SLOPE	0.5
#define TW_LEVEL_RISE	1.3
#define TW_LEVEL_MIN_POINTS	6
unsigned tw_levels_find(struct tw_level levels[TW_LEVELS],
			const struct tw_curve *curve,
			const struct tw_curve *looks);

/* How a level that was found compares with the cache of the same number. */
enum tw_level_agreement {
	TW_LEVEL_AGREES,	/* within one step of sizes */
	TW_LEVEL_SMALLER,	/* measured less than sysfs says */
	TW_LEVEL_LARGER,
	TW_LEVEL_NOT_FOUND,	/* sysfs has it, the curve does not */
	TW_LEVEL_NOT_SAID,	/* the curve has it, sysfs does not */
};

/* @level or @cache may be NULL, not both. One step: up to the next size that
 * was measured, or from the one before (the same factor below). */
enum tw_level_agreement tw_level_compare(const struct tw_level *level,
					 const struct tw_cache *cache);

/* A sentence with likely causes; "" for what agrees. */
const char *tw_level_agreement_text(enum tw_level_agreement agreement);

#endif
