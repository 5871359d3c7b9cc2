/* SPDX-License-Identifier: MIT */
/*
 * Curves: latency over the size of memory. Internal.
 */
#ifndef TW_MEMORY_SWEEP_H
#define TW_MEMORY_SWEEP_H

#include "caches.h"
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
int tw_sweep_sizes(size_t *sizes, size_t from_bytes, size_t to_bytes,
		   unsigned per_octave, const struct tw_cache *caches,
		   unsigned count, size_t unit_bytes);

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
 * @sizes, @count: rising. Sizes beyond the memory are left out, and sizes that
 *	are too small for one element of the shape
 * @hz: of the counter
 * @progress: called before each point with its number; may be NULL. Any value
 *	but 0 ends the curve, which keeps the points that it has.
 *
 * A point that was too disturbed to be measured has 0 batches.
 *
 * Return: 0; -EINVAL for an invalid shape; -ENOMEM; -EINTR when @progress ended it.
 */
int tw_curve_measure(struct tw_curve *curve, const struct tw_memory *memory,
		     const size_t *sizes, unsigned count,
		     const struct tw_memory_effort *effort, double hz,
		     int (*progress)(void *context, unsigned point),
		     void *context);

/**
 * tw_curve_keep_fastest - combine two measurements of a curve
 * @best: for each size that @look has, too, it keeps the smaller minimum, the
 *	smaller median with what belongs to that, and the fastest clock of the
 *	core
 *
 * A disturbance makes loads longer, for longer than a point is measured. These
 * figures do not estimate what another run finds: they are for finding levels.
 * Pure.
 */
void tw_curve_keep_fastest(struct tw_curve *best, const struct tw_curve *look);

/* Return the point of a size; NULL if the size was not measured. */
const struct tw_memory_point *tw_curve_point(const struct tw_curve *curve,
					     size_t bytes);

#endif
