/* SPDX-License-Identifier: MIT */
/*
 * The levels of a memory hierarchy, found in a curve of latencies, and compared
 * with those that sysfs names. Internal, pure.
 */
#ifndef TW_MEMORY_LEVELS_H
#define TW_MEMORY_LEVELS_H

#include "caches.h"
#include "sweep.h"

#define TW_LEVELS	8

/**
 * struct tw_level - a flat part of a curve
 *
 * @size_bytes: its capacity: the largest measured size at which fewer than half
 *	of the loads come from the next level. There latency is below the middle
 *	between the two levels. 0: this is the last level, which has no end in
 *	the curve.
 * @next_bytes: the next size that was measured: the end is between the two
 * @latency_ns: median of the points of the flat part
 * @low_ns, @high_ns: the smallest and the largest of their medians
 * @error_ns: how far the widest of their 95 % intervals reaches from its median
 * @cycles: of the core at its fastest: the median of what its sizes were judged
 *	by, which is the fastest batches or the medians; 0: unknown
 * @cycle_ns: of the core at its fastest; 0: unknown
 * @points: number of points in the flat part
 */
struct tw_level {
	size_t size_bytes, next_bytes;
	double latency_ns, low_ns, high_ns, error_ns;
	double cycles, cycle_ns;
	unsigned points;
};

/**
 * tw_levels_find - find the flat parts of a curve
 * @steady: NULL, or another curve, in an order without phases. Its sizes are
 *	judged by its fastest batches, and its points replace those of @curve.
 *	The reason: another user of the same cache, such as another guest of the
 *	host, only makes loads longer. Other sizes are judged by medians: if an
 *	order has phases, a cache still holds what the fastest batch reads.
 *
 * A part is flat if latency grows by less than TW_LEVEL_SLOPE octaves an octave
 * of size, seen over an octave. Between two flat parts it must grow by at least
 * TW_LEVEL_RISE. A median of three removes single outliers, and keeps steps as
 * they are.
 *
 * Return: how many, up to TW_LEVELS; 0 for a curve with too few points.
 */
#define TW_LEVEL_SLOPE	0.5
#define TW_LEVEL_RISE	1.3
#define TW_LEVEL_MIN_POINTS	6
unsigned tw_levels_find(struct tw_level levels[TW_LEVELS],
			const struct tw_curve *curve,
			const struct tw_curve *steady);

/* How a level that was found compares with the cache of the same number. */
enum tw_level_agreement {
	TW_LEVEL_AGREES,	/* within one step of sizes */
	TW_LEVEL_SMALLER,	/* measured less than sysfs has */
	TW_LEVEL_LARGER,
	TW_LEVEL_NOT_FOUND,	/* sysfs has it, the curve does not */
	TW_LEVEL_NOT_SAID,	/* the curve has it, sysfs does not */
};

/* Compare a level with a cache. One of them may be NULL. One step is up to the
 * next size that was measured, or as far (by the same factor) below. */
enum tw_level_agreement tw_level_compare(const struct tw_level *level,
					 const struct tw_cache *cache);

/* Return a sentence with likely causes; "" if the two agree. */
const char *tw_level_agreement_text(enum tw_level_agreement agreement);

#endif
