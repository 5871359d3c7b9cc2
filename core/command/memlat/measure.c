/* SPDX-License-Identifier: MIT */
/*
 * tickwise memlat: from the request to the curves, and what follows from them.
 */
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command/command.h"
#include "command/format.h"
#include "command/memlat/memlat.h"
#include "estimate/machine.h"

#define CALIBRATION_NS	20000000
/* The largest size by itself: past the last cache, but not so much that a run
 * takes longer than a minute. */
#define TIMES_LAST	4
#define LEAST_MAX_BYTES	((size_t)64 << 20)
#define MOST_MAX_BYTES	((size_t)1 << 30)

struct wanted {
	enum tw_cycle_kind kind;
	enum tw_pages pages;
};

struct progress {
	const char *kind, *pages;
	unsigned before, all;		/* points */
	const size_t *sizes;
	int is_shown;
};

/* ---- the plan -------------------------------------------------------------- */

/* By itself small pages have all curves; transparent ones only that which
 * shows what they are good for. */
static unsigned plan(struct wanted *wanted,
		     const struct tw_memlat_arguments *arguments)
{
	unsigned n = 0;

	for (int pages = 0; pages < TW_PAGES_KINDS; pages++)
		for (int kind = 0; kind < TW_CYCLE_KINDS; kind++)
			if (arguments->pages[pages] && arguments->kinds[kind] &&
			    (arguments->chose_pages ||
			     pages == TW_PAGES_SMALL ||
			     kind == TW_CYCLE_RANDOM))
				wanted[n++] = (struct wanted) {
					(enum tw_cycle_kind)kind,
					(enum tw_pages)pages };
	return n;
}

static int choose_sizes(struct tw_memlat *memlat,
			const struct tw_memlat_arguments *arguments)
{
	uint64_t available = tw_memory_available();
	char wants[TW_FORMAT_SIZE], has[TW_FORMAT_SIZE];
	size_t max = LEAST_MAX_BYTES;

	memlat->min_bytes = arguments->min_bytes ? arguments->min_bytes : 4096;
	memlat->max_bytes = arguments->max_bytes;
	if (!memlat->max_bytes) {
		for (unsigned i = 0; i < memlat->cache_count; i++)
			if (memlat->caches[i].bytes * TIMES_LAST > max)
				max = memlat->caches[i].bytes * TIMES_LAST;
		if (max > MOST_MAX_BYTES)
			max = MOST_MAX_BYTES;
		if (available && max > available / 2)
			max = (size_t)(available / 2);
		memlat->max_bytes = max > memlat->min_bytes ? max :
							memlat->min_bytes;
	}
	if (available && memlat->max_bytes > available)
		return tw_command_fail(TW_MEMLAT, TW_EXIT_SOFTWARE, "%s of "
			"memory are wanted and %s are available",
			tw_memlat_size(wants, memlat->max_bytes),
			tw_memlat_size(has, (size_t)available));
	return TW_EXIT_GOOD;
}

static int choose_cpu(struct tw_memlat *memlat,
		      const struct tw_memlat_arguments *arguments)
{
	int cpu = arguments->cpu >= 0 ? arguments->cpu : sched_getcpu();
	int ret = cpu < 0 ? -errno : tw_pin_to_cpu((unsigned)cpu);

	if (ret)
		return tw_command_fail(TW_MEMLAT, TW_EXIT_SOFTWARE, "can't run "
				       "on CPU %d: %s", cpu, ret == -EINVAL ?
				       "it is not there, or not allowed" :
				       strerror(-ret));
	memlat->cpu = (unsigned)cpu;
	return TW_EXIT_GOOD;
}

static int check_node(const struct tw_memlat_arguments *arguments)
{
	unsigned nodes[TW_MEMLAT_NODES];
	unsigned count = tw_memory_nodes(nodes, TW_MEMLAT_NODES);

	if (arguments->node == TW_ANY_NODE)
		return TW_EXIT_GOOD;
	for (unsigned i = 0; i < count; i++)
		if (nodes[i] == (unsigned)arguments->node)
			return TW_EXIT_GOOD;
	return tw_command_fail(TW_MEMLAT, TW_EXIT_SOFTWARE, "there is no "
			       "memory on a NUMA node %d", arguments->node);
}

/* ---- measuring --------------------------------------------------------------- */

static int show(void *context, unsigned point)
{
	const struct progress *progress = context;
	char size[TW_FORMAT_SIZE];

	if (progress->is_shown)
		fprintf(stderr, "\r%3u %%  %s on %s pages, %s\033[K",
			(progress->before + point) * 100 / progress->all,
			progress->kind, progress->pages,
			tw_memlat_size(size, progress->sizes[point]));
	return tw_memlat_is_interrupted();
}

static struct tw_cycle_shape shape_of(const struct tw_memlat_arguments *arguments,
				      const struct tw_memlat *memlat,
				      enum tw_cycle_kind kind)
{
	size_t line = memlat->cache_count && memlat->caches[0].line_bytes ?
		      memlat->caches[0].line_bytes : 64;

	return (struct tw_cycle_shape) {
		.kind = kind,
		.stride_bytes = kind == TW_CYCLE_PAGE ? line :
				arguments->stride_bytes,
		.page_bytes = (size_t)sysconf(_SC_PAGESIZE),
		.window_bytes = arguments->window_bytes,
		.passes = arguments->passes,
		.line_bytes = line,
		.seed = arguments->seed,
	};
}

static int sizes_of(size_t *sizes, const struct tw_memlat *memlat,
		    const struct tw_memlat_arguments *arguments)
{
	/* In whole strides; curves of pages leave out what is less than one. */
	return tw_sweep_sizes(sizes, memlat->min_bytes, memlat->max_bytes,
			      arguments->per_octave, memlat->caches,
			      memlat->cache_count, arguments->stride_bytes);
}

/* All wanted curves on pages of one kind: one mapping for all of them. */
static int measure_on(struct tw_memlat *memlat, enum tw_pages pages,
		      const struct tw_memlat_arguments *arguments,
		      const struct wanted *wanted, unsigned count,
		      struct progress *progress, int size_count)
{
	struct tw_memory memory;
	int ret = tw_memory_map(&memory, memlat->max_bytes, pages,
				arguments->node);

	if (ret) {
		memlat->skipped[pages] = tw_pages_why_not(ret, pages);
		return 0;
	}
	for (unsigned i = 0; !ret && i < count; i++) {
		struct tw_curve *curve = &memlat->curves[memlat->curve_count];

		if (wanted[i].pages != pages)
			continue;
		*curve = (struct tw_curve) { .node = arguments->node };
		curve->shape = shape_of(arguments, memlat, wanted[i].kind);
		progress->kind = tw_cycle_names[wanted[i].kind];
		progress->pages = tw_pages_names[pages];
		ret = tw_curve_measure(curve, &memory, progress->sizes,
				       (unsigned)size_count,
				       &arguments->effort, memlat->rate.hz,
				       show, progress);
		/* An interrupted one is worth what it has. */
		memlat->curve_count += !ret || (ret == -EINTR && curve->count);
		progress->before += (unsigned)size_count;
	}
	tw_memory_unmap(&memory);
	return ret;
}

/* Random loads in the largest memory of each node, where there are several. */
static int measure_nodes(struct tw_memlat *memlat,
			 const struct tw_memlat_arguments *arguments)
{
	unsigned nodes[TW_MEMLAT_NODES];
	unsigned count = tw_memory_nodes(nodes, TW_MEMLAT_NODES);
	struct tw_curve *curve;
	int ret = 0;

	if (count < 2 || arguments->node != TW_ANY_NODE)
		return 0;
	curve = malloc(sizeof(*curve));
	if (!curve)
		return -ENOMEM;
	for (unsigned i = 0; !ret && i < count; i++) {
		struct tw_memory memory;

		/* Memory that this process may not have is left out. */
		if (tw_memory_map(&memory, memlat->max_bytes, TW_PAGES_SMALL,
				  (int)nodes[i]))
			continue;
		*curve = (struct tw_curve) { .node = (int)nodes[i] };
		curve->shape = shape_of(arguments, memlat, TW_CYCLE_WINDOW);
		ret = tw_curve_measure(curve, &memory, &memlat->max_bytes, 1,
				       &arguments->effort, memlat->rate.hz,
				       NULL, NULL);
		tw_memory_unmap(&memory);
		if (!ret && curve->count && curve->points[0].batches)
			memlat->nodes[memlat->node_count++] =
				(struct tw_memlat_node) {
					nodes[i], curve->points[0] };
	}
	free(curve);
	return ret;
}

/* ---- what follows ------------------------------------------------------------ */

const struct tw_curve *tw_memlat_find(const struct tw_memlat *memlat,
				      enum tw_cycle_kind kind,
				      enum tw_pages pages)
{
	for (unsigned i = 0; i < memlat->curve_count; i++)
		if (memlat->curves[i].shape.kind == kind &&
		    memlat->curves[i].pages == pages)
			return &memlat->curves[i];
	return NULL;
}

static void conclude(struct tw_memlat *memlat)
{
	const struct tw_curve *window, *random, *page;

	window = tw_memlat_find(memlat, TW_CYCLE_WINDOW, TW_PAGES_SMALL);
	random = tw_memlat_find(memlat, TW_CYCLE_RANDOM, TW_PAGES_SMALL);
	page = tw_memlat_find(memlat, TW_CYCLE_PAGE, TW_PAGES_SMALL);
	memlat->levels_of = window;
	for (int i = TW_PAGES_RESERVED; !memlat->levels_of && i >= 0; i--)
		memlat->levels_of = tw_memlat_find(memlat, TW_CYCLE_WINDOW,
						   (enum tw_pages)i);
	for (int i = TW_PAGES_RESERVED; !memlat->levels_of && i >= 0; i--)
		memlat->levels_of = tw_memlat_find(memlat, TW_CYCLE_RANDOM,
						   (enum tw_pages)i);
	if (memlat->levels_of)
		memlat->level_count = tw_levels_find(memlat->levels,
						     memlat->levels_of);
	if (random && window)
		memlat->memory_cost_count = tw_tlb_of_memory(
			memlat->memory_costs, random, window);
	if (random && page)
		memlat->page_cost_count = tw_tlb_of_pages(
			memlat->page_costs, page, random);
}

static int measure_all(struct tw_memlat *memlat,
		       const struct tw_memlat_arguments *arguments)
{
	struct wanted wanted[TW_MEMLAT_CURVES];
	unsigned count = plan(wanted, arguments);
	size_t sizes[TW_SWEEP_SIZES];
	int size_count = sizes_of(sizes, memlat, arguments);
	struct progress progress = { .sizes = sizes,
				     .is_shown = isatty(STDERR_FILENO) };
	int ret = 0;

	if (size_count < 0)
		return size_count;
	progress.all = count * (unsigned)size_count;
	for (int pages = 0; !ret && pages < TW_PAGES_KINDS; pages++)
		if (arguments->pages[pages])
			ret = measure_on(memlat, (enum tw_pages)pages,
					 arguments, wanted, count, &progress,
					 size_count);
	if (!ret)
		ret = measure_nodes(memlat, arguments);
	if (progress.is_shown)
		fputs("\r\033[K", stderr);
	memlat->was_interrupted = ret == -EINTR;
	return ret == -EINTR ? 0 : ret;
}

/* Pages that were asked for by name, and are not to be had, end the run. */
static int check_skipped(const struct tw_memlat *memlat,
			 const struct tw_memlat_arguments *arguments)
{
	for (int i = 0; i < TW_PAGES_KINDS; i++)
		if (memlat->skipped[i] && (arguments->chose_pages ||
					   i == TW_PAGES_SMALL))
			return tw_command_fail(TW_MEMLAT, TW_EXIT_SOFTWARE,
					       "no %s pages: %s",
					       tw_pages_names[i],
					       memlat->skipped[i]);
	return TW_EXIT_GOOD;
}

static int prepare(struct tw_memlat *memlat,
		   const struct tw_memlat_arguments *arguments)
{
	const struct tw_rate_options options = { .window_ns = CALIBRATION_NS };
	int code = choose_cpu(memlat, arguments);
	int ret;

	if (code == TW_EXIT_GOOD)
		code = check_node(arguments);
	if (code != TW_EXIT_GOOD)
		return code;
	memlat->cache_count = tw_caches_read(memlat->caches, TW_CACHES_BASE,
					     memlat->cpu);
	code = choose_sizes(memlat, arguments);
	if (code != TW_EXIT_GOOD)
		return code;
	tw_machine_read(&memlat->machine);
	ret = tw_rate_measure(&memlat->rate, &options);
	if (ret)
		return tw_command_fail(TW_MEMLAT, TW_EXIT_SOFTWARE,
				       "the counter can't be calibrated: %s",
				       ret == -ENOTSUP ?
				       "this process may not read it" :
				       strerror(-ret));
	return TW_EXIT_GOOD;
}

int tw_memlat_measure(struct tw_memlat *memlat,
		      const struct tw_memlat_arguments *arguments)
{
	uint64_t begin = tw_ticks_begin();
	int code, ret;

	*memlat = (struct tw_memlat) { 0 };
	code = prepare(memlat, arguments);
	if (code != TW_EXIT_GOOD)
		return code;
	memlat->curves = calloc(TW_MEMLAT_CURVES, sizeof(*memlat->curves));
	ret = memlat->curves ? measure_all(memlat, arguments) : -ENOMEM;
	code = ret ? tw_command_fail(TW_MEMLAT, TW_EXIT_SOFTWARE, "%s",
				     ret == -EINVAL ?
				     "these sizes and steps make no curve" :
				     strerror(-ret)) :
		     check_skipped(memlat, arguments);
	if (code != TW_EXIT_GOOD) {
		tw_memlat_free(memlat);
		return code;
	}
	conclude(memlat);
	memlat->took_ns = (uint64_t)((double)(tw_ticks_end() - begin) /
				     memlat->rate.hz * 1e9);
	return TW_EXIT_GOOD;
}

void tw_memlat_free(struct tw_memlat *memlat)
{
	free(memlat->curves);
	memlat->curves = NULL;
}
