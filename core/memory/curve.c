/* SPDX-License-Identifier: MIT */
/*
 * Measures latency over size: chooses the sizes, and measures the points of a curve.
 */
#include "curve.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

static int rising(const void *left, const void *right)
{
	size_t a = *(const size_t *)left, b = *(const size_t *)right;

	return a < b ? -1 : a > b;
}

static size_t whole_units(double bytes, size_t unit_bytes)
{
	size_t units = (size_t)(bytes / (double)unit_bytes + 0.5);

	return (units ? units : 1) * unit_bytes;
}

int tw_sweep_sizes(size_t *sizes, size_t from_bytes, size_t to_bytes, unsigned per_octave,
		   const struct tw_cache *caches, unsigned count, size_t unit_bytes)
{
	const unsigned most = TW_SWEEP_SIZES - TW_CACHES - 1;
	unsigned n = 0, kept = 0;

	if (from_bytes == 0 || to_bytes < from_bytes || unit_bytes == 0 || per_octave < 1 ||
	    per_octave > 16)
		return -EINVAL;
	for (unsigned step = 0;; step++) {
		double bytes = (double)from_bytes * exp2((double)step / per_octave);

		/* The last size is @to_bytes itself, not one just below it. */
		if (bytes >= (double)to_bytes * 0.99)
			break;
		if (n >= most)
			return -EINVAL;
		sizes[n++] = whole_units(bytes, unit_bytes);
	}
	sizes[n++] = whole_units((double)to_bytes, unit_bytes);
	for (unsigned i = 0; i < count; i++)
		if (caches[i].bytes > from_bytes && caches[i].bytes < to_bytes)
			sizes[n++] = whole_units((double)caches[i].bytes, unit_bytes);
	qsort(sizes, n, sizeof(*sizes), rising);
	for (unsigned i = 0; i < n; i++)
		if (kept == 0 || sizes[i] != sizes[kept - 1])
			sizes[kept++] = sizes[i];
	return (int)kept;
}

int tw_curve_measure(struct tw_curve *curve, const struct tw_memory *memory,
		     const size_t *sizes, unsigned count,
		     const struct tw_memory_effort *effort, double hz,
		     int (*progress)(void *context, unsigned point), void *context)
{
	struct tw_cycle cycle;
	int ret = tw_cycle_init(&cycle, &curve->shape, memory->start);

	curve->count = 0;
	curve->pages = memory->pages;
	curve->page_bytes = memory->page_bytes;
	curve->huge_share = fmin((double)memory->huge_bytes / (double)memory->bytes, 1);
	for (unsigned i = 0; !ret && i < count; i++) {
		struct tw_memory_point *point = &curve->points[curve->count];

		if (progress(context, i))
			return -EINTR;
		if (sizes[i] > memory->bytes || !tw_cycle_elements(&curve->shape, sizes[i]))
			continue;
		ret = tw_cycle_grow(&cycle, sizes[i]);
		if (!ret)
			ret = tw_memory_measure(point, &cycle, sizes[i], effort, tw_chase, hz);
		if (ret == -EAGAIN) {
			point->batches = 0;
			ret = 0;
		}
		curve->count += !ret;
	}
	return ret;
}

const struct tw_memory_point *tw_curve_point(const struct tw_curve *curve, size_t bytes)
{
	for (unsigned i = 0; i < curve->count; i++)
		if (curve->points[i].bytes == bytes && curve->points[i].batches)
			return &curve->points[i];
	return NULL;
}

void tw_curve_keep_fastest(struct tw_curve *curve, const struct tw_curve *look)
{
	for (unsigned i = 0; i < curve->count; i++) {
		struct tw_memory_point *best = &curve->points[i], slower = *best;
		const struct tw_memory_point *point = tw_curve_point(look, best->bytes);

		if (!point)
			continue;
		if (best->batches && point->median_ns >= best->median_ns)
			slower = *point;
		else
			*best = *point;
		if (!slower.batches)
			continue;
		best->min_ns = fmin(best->min_ns, slower.min_ns);
		if (slower.cycle_ns > 0 &&
		    (!(best->cycle_ns > 0) || slower.cycle_ns < best->cycle_ns))
			best->cycle_ns = slower.cycle_ns;
	}
}
