/* SPDX-License-Identifier: MIT */
/*
 * Curves: latency over the size of memory. The levels of a memory hierarchy, found in a curve,
 * and compared with those that sysfs names. Internal.
 */
#ifndef TW_MEMORY_CURVE_H
#define TW_MEMORY_CURVE_H

#include "pages.h"
#include "point.h"

#define TW_SWEEP_SIZES		256

/**
 * tw_sweep_sizes - choose the sizes of a curve
 * @sizes: room for TW_SWEEP_SIZES, rising
 * @from_bytes, @to_bytes: both are among them
 * @per_octave: how many for every doubling, 1 to 16
 * @caches, @count: their sizes are among them, too
 * @unit_bytes: each size is rounded to a multiple of it, at least one
 *
 * Pure. Return: how many; -EINVAL for an invalid range.
 */
int tw_sweep_sizes(size_t *sizes, size_t from_bytes, size_t to_bytes, unsigned per_octave,
		   const struct tw_cache *caches, unsigned count, size_t unit_bytes);

struct tw_curve {
	struct tw_cycle_shape shape;
	enum tw_pages pages;
	size_t page_bytes;
	double huge_share;		/* share of its memory on huge pages */
	int node;			/* TW_ANY_NODE: bound to no node */
	unsigned count;
	struct tw_memory_point points[TW_SWEEP_SIZES];
};

/**
 * tw_curve_measure - measure a curve in memory that is mapped
 * @curve: shape set by the caller
 * @sizes, @count: rising. Sizes beyond the memory are left out, and sizes that are too small
 *	for one element of the shape
 * @hz: of the counter
 * @progress: called before each point with its number; or NULL. Any value but 0 ends the curve,
 *	which keeps the points that it has.
 *
 * A point that was too disturbed to be measured has 0 batches.
 *
 * Return: 0; -EINVAL for an invalid shape; -ENOMEM; -EINTR when @progress ended it.
 */
int tw_curve_measure(struct tw_curve *curve, const struct tw_memory *memory,
		     const size_t *sizes, unsigned count,
		     const struct tw_memory_effort *effort, tw_chase_function *chase, double hz,
		     int (*progress)(void *context, unsigned point), void *context);

/**
 * tw_curve_keep_fastest - combine two measurements of a curve
 * @curve: for each size that @look has, too, it keeps the smaller minimum, the smaller median
 *	with what belongs to that, and the fastest clock of the core
 *
 * A disturbance makes loads longer, for longer than a point is measured. These figures do
 * not estimate what another run finds: they are for finding levels. Pure.
 */
void tw_curve_keep_fastest(struct tw_curve *curve, const struct tw_curve *look);

/* Return the point of a size; NULL if the size was not measured. */
const struct tw_memory_point *tw_curve_point(const struct tw_curve *curve, size_t bytes);

/* ---- levels ---- */

#define TW_LEVELS	8

/**
 * struct tw_level - a flat part of a curve
 *
 * @size_bytes: its capacity: the largest measured size at which fewer than half of the loads
 *	come from the next level. There latency is below the middle between the two levels.
 *	0: this is the last level, which has no end in the curve.
 * @next_bytes: the next size that was measured: the end is between the two
 * @latency_ns: median of the points of the flat part
 * @low_ns, @high_ns: the smallest and the largest of their medians
 * @error_ns: how far the widest of their 95 % intervals reaches from its median
 * @cycles: of the core at its fastest: the median of what its sizes were judged by, which is
 *	the fastest batches or the medians; 0: unknown
 * @points: number of points in the flat part
 * @flat_bytes: the largest size in the flat part
 */
struct tw_level {
	size_t size_bytes, next_bytes, flat_bytes;
	double latency_ns, low_ns, high_ns, error_ns;
	double cycles;
	double cycle_ns;		/* of the core at its fastest; 0: unknown */
	unsigned points;
};

/**
 * tw_levels_find - find the flat parts of a curve
 * @steady: NULL, or another curve, in an order without phases. Its sizes are judged by its
 *	fastest batches, and its points replace those of @curve. The reason: another user of
 *	the same cache, such as another guest of the host, only makes loads longer. Other
 *	sizes are judged by medians: if an order has phases, a cache still holds what the
 *	fastest batch reads.
 *
 * A part is flat if latency grows by less than TW_LEVEL_SLOPE octaves an octave of size,
 * seen over an octave. Between two flat parts it must grow by at least TW_LEVEL_RISE. A
 * median of three removes single outliers, and keeps steps as they are.
 *
 * Return: how many, up to TW_LEVELS; 0 for a curve with too few points.
 */
#define TW_LEVEL_SLOPE	0.5
#define TW_LEVEL_RISE	1.3
#define TW_LEVEL_MIN_POINTS	6
unsigned tw_levels_find(struct tw_level levels[TW_LEVELS], const struct tw_curve *curve,
			const struct tw_curve *steady);

/* How a level that was found compares with the cache of the same number. */
enum tw_level_agreement {
	TW_LEVEL_AGREES,	/* within one step of sizes */
	TW_LEVEL_SMALLER,	/* measured less than sysfs has */
	TW_LEVEL_LARGER,
	TW_LEVEL_NOT_FOUND,	/* sysfs has it, the curve does not */
	TW_LEVEL_NOT_SAID,	/* the curve has it, sysfs does not */
};

/* Compare a level with a cache. One of them may be NULL. One step is up to the next size
 * that was measured, or as far (by the same factor) below. */
enum tw_level_agreement tw_level_compare(const struct tw_level *level,
					 const struct tw_cache *cache);

/* A word for JSON, and a sentence with likely causes: "" if the two agree. */
extern const char *const tw_level_agreement_names[];
extern const char *const tw_level_agreement_texts[];

#endif
