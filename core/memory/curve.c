/* SPDX-License-Identifier: MIT */
/*
 * Measures latency over size: chooses the sizes, and measures the points of a curve. Finds the
 * flat parts of a curve, and where they end.
 */
#include "curve.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "array.h"

static int rising(const void *left, const void *right)
{
	return tw_compare(*(const size_t *)left, *(const size_t *)right);
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
		     const struct tw_memory_effort *effort, tw_chase_function *chase, double hz,
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

		if (progress && progress(context, i))
			return -EINTR;
		if (sizes[i] > memory->bytes || !tw_cycle_elements(&curve->shape, sizes[i]))
			continue;
		ret = tw_cycle_grow(&cycle, sizes[i]);
		if (!ret)
			ret = tw_memory_measure(point, &cycle, sizes[i], effort, chase, hz);
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

/* ---- levels ----
 *
 * All sizes and latencies are logarithms to base 2. So a level is as wide as its factor in size,
 * and as high as its factor in time.
 */

#define MIN_FLAT	3	/* points of a level */

struct trace {
	unsigned count;
	const struct tw_memory_point *points[TW_SWEEP_SIZES];
	double size[TW_SWEEP_SIZES];		/* log2 */
	double ns[TW_SWEEP_SIZES];		/* by which a size is judged */
	double latency[TW_SWEEP_SIZES];		/* log2 of ns, smoothed */
};

static void take_points(struct trace *trace, const struct tw_curve *curve,
			const struct tw_curve *steady)
{
	unsigned n = 0;

	for (unsigned i = 0; i < curve->count; i++) {
		const struct tw_memory_point *point = &curve->points[i];
		const struct tw_memory_point *other =
			steady ? tw_curve_point(steady, point->bytes) : NULL;
		double ns = other ? other->min_ns : point->median_ns;

		point = other ? other : point;
		if (!point->batches || !(ns > 0))
			continue;
		trace->points[n] = point;
		trace->size[n] = log2((double)point->bytes);
		trace->ns[n++] = ns;
	}
	trace->count = n;
	/* Between the ends, the one in the middle of three neighbours. */
	for (unsigned i = 0; i < n; i++) {
		const double *at = &trace->ns[i];

		trace->latency[i] = log2(i == 0 || i + 1 == n ? *at :
					 fmax(fmin(at[-1], *at), fmin(fmax(at[-1], *at), at[1])));
	}
}

static double slope(const struct trace *trace, unsigned from, unsigned to)
{
	return (trace->latency[to] - trace->latency[from]) /
	       (trace->size[to] - trace->size[from]);
}

/* Return the growth of latency around a point, in octaves an octave. At an end
 * of the curve there is only half of the range. */
static double slope_at(const struct trace *trace, unsigned at)
{
	unsigned from = at, to = at;
	const double half = 0.5 + 1e-9;

	while (from > 0 && trace->size[at] - trace->size[from - 1] <= half)
		from--;
	while (to + 1 < trace->count &&
	       trace->size[to + 1] - trace->size[at] <= half)
		to++;
	if (to == from)
		return 0;
	/* If a step is nearer than half an octave, the point is as flat as the
	 * side that it belongs to. */
	if (from < at && to > at)
		return fmin(slope(trace, from, at), slope(trace, at, to));
	return slope(trace, from, to);
}

struct range {
	unsigned first, last;
};

enum figure { JUDGED_NS, MEDIAN_NS, CYCLES };

/* Return the median of a figure over the points of a part. */
static double median_of(const struct trace *trace, struct range range, enum figure figure)
{
	double values[TW_SWEEP_SIZES];
	unsigned n = 0;

	for (unsigned i = range.first; i <= range.last; i++) {
		double cycle_ns = trace->points[i]->cycle_ns;

		values[n++] = figure == JUDGED_NS ? trace->ns[i] :
			      figure == MEDIAN_NS ? trace->points[i]->median_ns :
			      cycle_ns > 0 ? trace->ns[i] / cycle_ns : 0;
	}
	return tw_median(values, n);
}

/* Find flat runs of at least MIN_FLAT points. Neighbours that differ too little to be two levels
 * are joined. */
static unsigned flat_ranges(const struct trace *trace, struct range *ranges)
{
	unsigned count = 0, begin = 0;

	for (unsigned i = 0; i <= trace->count; i++) {
		int is_flat = i < trace->count && slope_at(trace, i) < TW_LEVEL_SLOPE;
		/* A step between two flat points ends a run, too. */
		int goes_on = is_flat && (i == begin || trace->latency[i] -
					  trace->latency[i - 1] < log2(TW_LEVEL_RISE));

		if (goes_on)
			continue;
		if (i - begin >= MIN_FLAT) {
			struct range range = { begin, i - 1 };

			if (count && median_of(trace, range, JUDGED_NS) <
				     median_of(trace, ranges[count - 1], JUDGED_NS) * TW_LEVEL_RISE)
				ranges[count - 1].last = range.last;
			else
				ranges[count++] = range;
		}
		begin = is_flat ? i : i + 1;
	}
	return count;
}

static void least(double *so_far, double value)
{
	if (value > 0 && (!(*so_far > 0) || value < *so_far))
		*so_far = value;
}

unsigned tw_levels_find(struct tw_level levels[TW_LEVELS],
			const struct tw_curve *curve,
			const struct tw_curve *steady)
{
	struct range ranges[TW_SWEEP_SIZES];
	struct trace trace;
	unsigned count;

	take_points(&trace, curve, steady);
	if (trace.count < TW_LEVEL_MIN_POINTS)
		return 0;
	count = flat_ranges(&trace, ranges);
	if (count > TW_LEVELS)
		count = TW_LEVELS;
	for (unsigned n = 0; n < count; n++) {
		struct tw_level *level = &levels[n];
		struct range range = ranges[n];

		*level = (struct tw_level) {
			.latency_ns = median_of(&trace, range, MEDIAN_NS),
			.cycles = median_of(&trace, range, CYCLES),
			.points = range.last - range.first + 1,
			.flat_bytes = trace.points[range.last]->bytes,
		};
		for (unsigned i = range.first; i <= range.last; i++) {
			const struct tw_memory_point *point = trace.points[i];

			least(&level->low_ns, point->median_ns);
			level->high_ns = fmax(level->high_ns, point->median_ns);
			level->error_ns = fmax(level->error_ns,
					       fmax(point->high_ns - point->median_ns,
						    point->median_ns - point->low_ns));
			least(&level->cycle_ns, point->cycle_ns);
		}
	}
	/* A flat part ends where latency passes the middle to the next part. */
	for (unsigned n = 0; n + 1 < count; n++) {
		double half = log2((median_of(&trace, ranges[n], JUDGED_NS) +
				    median_of(&trace, ranges[n + 1], JUDGED_NS)) / 2);
		unsigned last = ranges[n].first;

		while (last < ranges[n + 1].last && trace.latency[last + 1] < half)
			last++;
		levels[n].size_bytes = trace.points[last]->bytes;
		levels[n].next_bytes = last + 1 < trace.count ? trace.points[last + 1]->bytes : 0;
	}
	return count;
}

enum tw_level_agreement tw_level_compare(const struct tw_level *level,
					 const struct tw_cache *cache)
{
	double ratio, step;

	if (!cache)
		return TW_LEVEL_NOT_SAID;
	if (!level || !level->size_bytes)
		return TW_LEVEL_NOT_FOUND;
	ratio = (double)cache->bytes / (double)level->size_bytes;
	step = level->next_bytes ? (double)level->next_bytes /
				   (double)level->size_bytes : 1;
	/* Sizes do not all differ by one factor: those of sysfs are among them.
	 * So this step may be shorter than the others. */
	step = fmax(step, exp2(0.25)) * 1.001;
	if (ratio <= step && ratio >= 1 / step)
		return TW_LEVEL_AGREES;
	return ratio > 1 ? TW_LEVEL_SMALLER : TW_LEVEL_LARGER;
}

const char *const tw_level_agreement_names[] = {
	[TW_LEVEL_AGREES] = "agrees", [TW_LEVEL_SMALLER] = "smaller",
	[TW_LEVEL_LARGER] = "larger", [TW_LEVEL_NOT_FOUND] = "not_found",
	[TW_LEVEL_NOT_SAID] = "not_said",
};

const char *const tw_level_agreement_texts[] = {
	[TW_LEVEL_AGREES] = "",
	[TW_LEVEL_SMALLER] =
	"smaller than sysfs says: shared with other cores or guests, a hypervisor that names "
	"the whole socket's, or pages whose lines compete for the same sets",
	[TW_LEVEL_LARGER] =
	"larger than sysfs says: a hypervisor that names another model's, lines that stay in "
	"a victim cache, or a next cache without a flat part of its own",
	[TW_LEVEL_NOT_FOUND] =
	"its end is in sysfs, not in the curve: not reached with this --max, not given to this "
	"guest, or hidden between its neighbours",
	[TW_LEVEL_NOT_SAID] = "in the curve, not in sysfs",
};
