/* SPDX-License-Identifier: MIT */
/*
 * Measures latency over size: chooses the sizes, and measures the points of a
 * curve.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "sweep.h"

static int rising(const void *left, const void *right)
{
	size_t a = *(const size_t *)left, b = *(const size_t *)right;

	return a < b ? -1 : a > b;
}

static unsigned without_doubles(size_t *sizes, unsigned count)
{
	unsigned kept = 0;

	qsort(sizes, count, sizeof(*sizes), rising);
	for (unsigned i = 0; i < count; i++)
		if (kept == 0 || sizes[i] != sizes[kept - 1])
			sizes[kept++] = sizes[i];
	return kept;
}

static size_t whole_units(double bytes, size_t unit_bytes)
{
	size_t units = (size_t)(bytes / (double)unit_bytes + 0.5);

	return (units ? units : 1) * unit_bytes;
}

int tw_sweep_sizes(size_t *sizes, size_t from_bytes, size_t to_bytes,
		   unsigned per_octave, const struct tw_cache *caches,
		   unsigned count, size_t unit_bytes)
{
	const unsigned most = TW_SWEEP_SIZES - TW_CACHES - 1;
	unsigned n = 0, step = 0;
	double bytes;

	if (from_bytes == 0 || to_bytes < from_bytes || unit_bytes == 0 ||
	    per_octave < 1 || per_octave > 16)
		return -EINVAL;
	for (;; step++) {
		bytes = (double)from_bytes * exp2((double)step / per_octave);
		/* The last size is @to_bytes itself, not one just below it. */
		if (bytes >= (double)to_bytes * 0.99)
			break;
		if (n >= most)
			return -EINVAL;
		sizes[n++] = whole_units(bytes, unit_bytes);
	}
	sizes[n++] = whole_units((double)to_bytes, unit_bytes);
	for (unsigned i = 0; i < count && i < TW_CACHES; i++)
		if (caches[i].bytes > from_bytes && caches[i].bytes < to_bytes)
			sizes[n++] = whole_units((double)caches[i].bytes,
						 unit_bytes);
	return (int)without_doubles(sizes, n);
}

/* Measure one point. Return 0, also if it was too disturbed. */
static int measure_point(struct tw_curve *curve, struct tw_cycle *cycle,
			 size_t bytes, const struct tw_memory_effort *effort,
			 double hz)
{
	int ret = tw_cycle_grow(cycle, bytes);

	if (!ret)
		ret = tw_memory_measure(&curve->points[curve->count], cycle,
					bytes, effort, NULL, hz);
	if (ret && ret != -EAGAIN)
		return ret;
	if (ret)
		curve->points[curve->count].batches = 0;
	curve->count++;
	return 0;
}

int tw_curve_measure(struct tw_curve *curve, const struct tw_memory *memory,
		     const size_t *sizes, unsigned count,
		     const struct tw_memory_effort *effort, double hz,
		     int (*progress)(void *context, unsigned point),
		     void *context)
{
	struct tw_cycle cycle;
	int ret;

	curve->count = 0;
	curve->pages = memory->pages;
	curve->page_bytes = memory->page_bytes;
	curve->huge_share = (double)memory->huge_bytes / (double)memory->bytes;
	if (curve->huge_share > 1)
		curve->huge_share = 1;
	ret = tw_cycle_init(&cycle, &curve->shape, memory->start);
	for (unsigned i = 0; !ret && i < count; i++) {
		if (progress && progress(context, i))
			return -EINTR;
		if (sizes[i] <= memory->bytes &&
		    tw_cycle_elements(&curve->shape, sizes[i]))
			ret = measure_point(curve, &cycle, sizes[i], effort,
					    hz);
	}
	return ret;
}

static void keep_fastest(struct tw_memory_point *best,
			 const struct tw_memory_point *look)
{
	struct tw_memory_point slower = *best;

	if (!look->batches)
		return;
	if (best->batches && look->median_ns >= best->median_ns)
		slower = *look;
	else
		*best = *look;
	if (!slower.batches)
		return;
	best->min_ns = fmin(best->min_ns, slower.min_ns);
	if (slower.cycle_ns > 0 && (!(best->cycle_ns > 0) ||
				    slower.cycle_ns < best->cycle_ns))
		best->cycle_ns = slower.cycle_ns;
}

const struct tw_memory_point *tw_curve_point(const struct tw_curve *curve,
					     size_t bytes)
{
	for (unsigned i = 0; i < curve->count; i++)
		if (curve->points[i].bytes == bytes && curve->points[i].batches)
			return &curve->points[i];
	return NULL;
}

void tw_curve_keep_fastest(struct tw_curve *best, const struct tw_curve *look)
{
	for (unsigned i = 0; i < best->count; i++)
		for (unsigned j = 0; j < look->count; j++)
			if (best->points[i].bytes == look->points[j].bytes)
				keep_fastest(&best->points[i],
					     &look->points[j]);
}
