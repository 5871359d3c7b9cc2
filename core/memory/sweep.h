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
 * tw_sweep_sizes - the sizes of a curve
 * @sizes: room for TW_SWEEP_SIZES, rising
 * @from_bytes, @to_bytes: both are among them
 * @per_octave: so many for every doubling, 1 to 16
 * @caches, @count: their sizes are among them, too
 * @unit_bytes: each is rounded to a multiple of it, at least one
 *
 * Pure. Return: how many; -EINVAL for a range that is none.
 */
int tw_sweep_sizes(size_t *sizes, size_t from_bytes, size_t to_bytes,
		   unsigned per_octave, const struct tw_cache *caches,
		   unsigned count, size_t unit_bytes);

struct tw_curve {
	struct tw_cycle_shape shape;
	enum tw_pages pages;
	size_t page_bytes;
	double huge_share;		/* of its memory that is on huge pages */
	int node;			/* TW_ANY_NODE: not bound to one */
	unsigned count;
	struct tw_memory_point points[TW_SWEEP_SIZES];
};

/**
 * tw_curve_measure - a curve in memory that is there
 * @curve: shape set by the caller
 * @sizes, @count: rising; those beyond the memory are left out, and those too
 *	small for one element of the shape
 * @hz: of the counter
 * @progress: called before each point with its number; may be NULL. Other than
 *	0 ends the curve, which keeps the points it has.
 *
 * A point that could not be measured for disturbances has 0 batches.
 *
 * Return: 0; -EINVAL for a shape that is none; -ENOMEM; -EINTR when @progress
 * ended it.
 */
int tw_curve_measure(struct tw_curve *curve, const struct tw_memory *memory,
		     const size_t *sizes, unsigned count,
		     const struct tw_memory_effort *effort, double hz,
		     int (*progress)(void *context, unsigned point),
		     void *context);

/**
 * tw_curve_keep_fastest - what two measurements of a curve say together
 * @best: of each size that @look has, too, the least minimum is kept, the lower
 *	median with what belongs to it, and the fastest clock of the core
 *
 * What disturbs a load makes it longer, for longer than a point is measured.
 * Such figures are no estimate of what another run finds: they are for finding
 * levels. Pure.
 */
void tw_curve_keep_fastest(struct tw_curve *best, const struct tw_curve *look);

/* What was measured at a size; NULL: nothing was. */
const struct tw_memory_point *tw_curve_point(const struct tw_curve *curve,
					     size_t bytes);

/* Where a curve is at a size that was not measured: between its neighbours, in
 * logarithms. 0 outside of the curve. */
double tw_curve_at(const struct tw_curve *curve, double bytes);

#endif
