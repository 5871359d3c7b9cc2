/* SPDX-License-Identifier: MIT */
/*
 * tickwise memlat: measures the requested curves, and finds levels and costs of translations
 * in them.
 *
 * To find levels, the small sizes are measured several times. Such a measurement is called a
 * visit. Visits are spread over the whole run, and each uses other memory. A neighbour (the
 * other thread of the core, or another guest) can take a part of a cache for seconds, which
 * is longer than one size is measured. And the physical pages that a process gets decide
 * which of them compete for the same lines of a cache.
 *
 * The order of visits is random. Windows have phases: past the end of a cache, the fastest
 * batch of a window is one that still finds much of the window in the cache.
 */
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/allocate.h"
#include "command/command.h"
#include "memory/command/memlat.h"
#include "trust.h"

#define CALIBRATION_NS	20000000
#define LONGEST_CALIBRATION_NS	640000000

/* The default of the largest size: past the last cache, but small enough that a run takes
 * about a minute. */
#define TIMES_LAST	4
#define MIN_MAX_BYTES	((size_t)64 << 20)
#define MAX_MAX_BYTES	((size_t)1 << 30)

#define VISITS		6
/* Of a visit: larger than the caches that belong to a core, with room for a flat part after
 * them. */
#define MAX_VISITED_BYTES	((size_t)8 << 20)

struct wanted {
	enum tw_cycle_kind kind;
	enum tw_pages pages;
};

/* All measurements, in order. */
struct plan {
	struct tw_memlat *memlat;
	struct wanted wanted[TW_MEMLAT_CURVES];
	unsigned count, done;
	size_t sizes[TW_SWEEP_SIZES];
	unsigned size_count;
	int levels_of;			/* index into @wanted; -1: no such curve */
	const struct tw_curve *found;	/* that curve; NULL: not measured so far */
	struct tw_memlat_places places;

	unsigned visited_count;		/* of the sizes, in a visit; 0: no visits */
	unsigned max_visits, visits, failed_visits;
	int is_visiting;
	/* Kept until the end, since the kernel would return freed pages at the next request. */
	struct tw_memory visited[VISITS];
	struct tw_curve fastest, visit;
};

/* ---- the place, the counter, the progress ------------------------------------ */

int tw_memlat_take_place(unsigned *cpu, const struct tw_memlat_arguments *arguments)
{
	int wanted = arguments->cpu >= 0 ? arguments->cpu : sched_getcpu();
	int ret = wanted < 0 ? -errno : tw_pin_to_cpu((unsigned)wanted);
	struct tw_cpu_list nodes;

	if (ret)
		return tw_command_fail(TW_MEMLAT, TW_EXIT_SOFTWARE, "can't run on CPU %d: %s",
				       wanted, ret == -EINVAL ? "it is not there, or not allowed" :
				       strerror(-ret));
	*cpu = (unsigned)wanted;
	tw_memory_nodes(&nodes, TW_MEMORY_NODES_FILE);
	if (arguments->node != TW_ANY_NODE &&
	    !tw_cpu_list_has(&nodes, (unsigned)arguments->node))
		return tw_command_fail(TW_MEMLAT, TW_EXIT_SOFTWARE, "there is no memory on a "
				       "NUMA node %d", arguments->node);
	return TW_EXIT_GOOD;
}

int tw_memlat_calibrate(struct tw_rate *rate)
{
	const struct tw_rate_options options = {
		.size = sizeof(options),
		.window_ns = CALIBRATION_NS,
		.longest_ns = LONGEST_CALIBRATION_NS,
	};

	*rate = TW_SIZED(struct tw_rate);
	return tw_rate_measure(rate, &options);
}

struct tw_cycle_shape tw_memlat_shape(const struct tw_memlat *memlat, enum tw_cycle_kind kind)
{
	const struct tw_memlat_arguments *arguments = memlat->arguments;
	size_t line = memlat->cache_count && memlat->caches[0].line_bytes ?
		      memlat->caches[0].line_bytes : 64;

	return (struct tw_cycle_shape) {
		.kind = kind,
		.stride_bytes = kind == TW_CYCLE_PAGE ? line : arguments->stride_bytes,
		.page_bytes = (size_t)sysconf(_SC_PAGESIZE),
		.window_bytes = arguments->window_bytes,
		.passes = arguments->passes,
		.line_bytes = line,
		.seed = arguments->seed,
	};
}

/* ---- the plan -------------------------------------------------------------- */

/* Plan the curves. By default small pages have all curves. Transparent huge pages have only
 * the random one, which shows their benefit. Of those that can be had, the curve that suits best
 * is chosen to find levels in. Windows are best, since translations cost least there; small pages
 * are best for them. Otherwise it is a curve in random order on the largest pages. */
static void plan_curves(struct plan *plan, const struct tw_memlat_arguments *arguments)
{
	unsigned best = 0;

	for (int pages = 0; pages < TW_PAGES_KINDS; pages++)
		for (int kind = 0; kind < TW_CYCLE_KINDS; kind++)
			if (arguments->pages[pages] && arguments->kinds[kind] &&
			    (arguments->chose_pages || pages == TW_PAGES_SMALL ||
			     kind == TW_CYCLE_RANDOM))
				plan->wanted[plan->count++] = (struct wanted) {
					(enum tw_cycle_kind)kind, (enum tw_pages)pages };
	for (unsigned i = 0; i < plan->count; i++) {
		struct wanted wanted = plan->wanted[i];
		unsigned size = (unsigned)wanted.pages;
		unsigned fits = wanted.kind == TW_CYCLE_RANDOM ? 1 + size :
				wanted.kind == TW_CYCLE_WINDOW ? 1 + TW_PAGES_KINDS +
				(size ? size : TW_PAGES_KINDS) : 0;
		struct tw_memory memory;

		if (fits <= best || tw_memory_map(&memory, 4096, wanted.pages, TW_ANY_NODE))
			continue;
		tw_memory_unmap(&memory);
		plan->levels_of = (int)i;
		best = fits;
	}
}

static int choose_sizes(struct tw_memlat *memlat)
{
	const struct tw_memlat_arguments *arguments = memlat->arguments;
	uint64_t available = memlat->available_bytes = tw_memory_available();
	size_t max = MIN_MAX_BYTES;

	memlat->min_bytes = arguments->min_bytes ? arguments->min_bytes : 4096;
	memlat->max_bytes = arguments->max_bytes;
	if (!memlat->max_bytes) {
		for (unsigned i = 0; i < memlat->cache_count; i++)
			if (memlat->caches[i].bytes * TIMES_LAST > max)
				max = memlat->caches[i].bytes * TIMES_LAST;
		if (max > MAX_MAX_BYTES)
			max = MAX_MAX_BYTES;
		memlat->is_cut = available < max;
		if (max > available / 2)
			max = (size_t)(available / 2);
		memlat->max_bytes = max > memlat->min_bytes ? max : memlat->min_bytes;
	}
	if (memlat->max_bytes > available)
		return tw_command_fail(TW_MEMLAT, TW_EXIT_SOFTWARE, "%s of memory are wanted "
			"and %s are available", TW_SAY_SIZE(memlat->max_bytes),
			TW_SAY_SIZE((size_t)available));
	return TW_EXIT_GOOD;
}

static int make_plan(struct plan *plan, struct tw_memlat *memlat)
{
	/* Sizes are multiples of the stride. Curves that stride by pages leave out sizes
	 * below one page. */
	int count = tw_sweep_sizes(plan->sizes, memlat->min_bytes, memlat->max_bytes,
				   memlat->arguments->per_octave, memlat->caches,
				   memlat->cache_count, memlat->arguments->stride_bytes);
	uint64_t visits;

	if (count < 0)
		return count;
	plan->size_count = (unsigned)count;
	plan_curves(plan, memlat->arguments);
	tw_memlat_places_plan(&plan->places, memlat);
	memlat->progress = tw_progress_begin_long(TW_MEMLAT);
	while (plan->levels_of >= 0 && plan->size_count >= TW_LEVEL_MIN_POINTS &&
	       plan->visited_count < plan->size_count &&
	       plan->sizes[plan->visited_count] <= MAX_VISITED_BYTES)
		plan->visited_count++;
	if (!plan->visited_count)
		return 0;
	/* All visits take at most half of the memory that the curves leave. */
	visits = (memlat->available_bytes - memlat->max_bytes) / 2 /
		 tw_pages_rounded(plan->sizes[plan->visited_count - 1],
				  plan->wanted[plan->levels_of].pages);
	plan->max_visits = visits < VISITS ? (unsigned)visits : VISITS;
	return 0;
}

/* ---- measuring --------------------------------------------------------------- */

static int show(void *context, unsigned point)
{
	const struct plan *plan = context;
	const struct wanted *wanted = &plan->wanted[plan->done];
	struct tw_progress *progress = &plan->memlat->progress;
	const char *size = TW_SAY_SIZE(plan->sizes[point]);
	double done = plan->memlat->done;

	if (plan->is_visiting)
		tw_progress_show(progress, done, "looking for levels, %s", size);
	else
		tw_progress_show(progress, done + (double)point / (plan->count * plan->size_count),
				 "%s on %s pages, %s", tw_cycle_names[wanted->kind],
				 tw_pages_names[wanted->pages], size);
	return tw_command_is_interrupted();
}

/* If the kernel gives no memory, one visit less is made. */
static int visit(struct plan *plan)
{
	const struct tw_memlat_arguments *arguments = plan->memlat->arguments;
	struct tw_memory *memory = &plan->visited[plan->visits];
	struct tw_memory_effort effort = arguments->effort;
	int ret;

	if (tw_memory_map(memory, plan->sizes[plan->visited_count - 1],
			  plan->wanted[plan->levels_of].pages, arguments->node)) {
		plan->failed_visits++;
		return 0;
	}
	effort.point_ns /= 2;
	plan->is_visiting = 1;
	plan->visit = (struct tw_curve) {
		.node = arguments->node,
		.shape = tw_memlat_shape(plan->memlat, TW_CYCLE_RANDOM),
	};
	ret = tw_curve_measure(&plan->visit, memory, plan->sizes, plan->visited_count, &effort,
			       tw_chase, plan->memlat->rate.hz, show, plan);
	plan->is_visiting = 0;
	/* The points of an interrupted visit are used, but it is not counted. */
	if (!plan->visits)
		plan->fastest = plan->visit;
	else
		tw_curve_keep_fastest(&plan->fastest, &plan->visit);
	plan->visits += !ret;
	return ret;
}

/* Measure the next curve, then search for levels and for the cost of translations as far as
 * that is due. */
static int measure_one(struct tw_memlat *memlat, struct plan *plan,
		       const struct tw_memory *memory)
{
	const struct tw_memlat_arguments *arguments = memlat->arguments;
	struct tw_curve *curve = &memlat->curves[memlat->curve_count];
	int ret, is_used;

	*curve = (struct tw_curve) {
		.node = arguments->node,
		.shape = tw_memlat_shape(memlat, plan->wanted[plan->done].kind),
	};
	ret = tw_curve_measure(curve, memory, plan->sizes, plan->size_count,
			       &arguments->effort, tw_chase, memlat->rate.hz, show, plan);
	/* The points of an interrupted curve are used. */
	is_used = !ret || (ret == -EINTR && curve->count);
	memlat->curve_count += (unsigned)is_used;
	if (is_used && (int)plan->done == plan->levels_of)
		plan->found = curve;
	plan->done++;
	memlat->done = (double)plan->done / plan->count;
	while (!ret && plan->visits + plan->failed_visits <
		       plan->max_visits * plan->done / plan->count)
		ret = visit(plan);
	if (!ret)
		ret = tw_memlat_places_visit(&plan->places, memlat, plan->done, plan->count);
	return ret;
}

/* Measure in windows, at the largest size. A node is left out if this process may not use its
 * memory, or if its measurement was too disturbed. */
static int measure_node(struct tw_memlat *memlat, unsigned node, struct tw_curve *curve)
{
	struct tw_memory memory;
	int ret;

	if (tw_command_is_interrupted())
		return -EINTR;
	if (tw_memory_map(&memory, memlat->max_bytes, TW_PAGES_SMALL, (int)node))
		return 0;
	*curve = (struct tw_curve) {
		.node = (int)node, .shape = tw_memlat_shape(memlat, TW_CYCLE_WINDOW),
	};
	ret = tw_command_is_interrupted() ? -EINTR :
	      tw_curve_measure(curve, &memory, &memlat->max_bytes, 1,
			       &memlat->arguments->effort, tw_chase, memlat->rate.hz, NULL, NULL);
	tw_memory_unmap(&memory);
	if (!ret && curve->count && curve->points[0].batches)
		memlat->nodes[memlat->node_count++] = (struct tw_memlat_node) {
			node, curve->points[0] };
	return ret;
}

static int measure_planned(struct tw_memlat *memlat, struct plan *plan)
{
	struct tw_cpu_list nodes;
	struct tw_curve curve;
	int ret = 0;

	/* All wanted curves on pages of one kind are measured in one mapping. */
	for (enum tw_pages pages = 0; !ret && pages < TW_PAGES_KINDS; pages++) {
		struct tw_memory memory;
		int failed;

		if (!memlat->arguments->pages[pages])
			continue;
		failed = tw_memory_map(&memory, memlat->max_bytes, pages,
				       memlat->arguments->node);
		if (failed)
			memlat->skipped[pages] = tw_pages_why_not(failed, pages);
		while (!ret && plan->done < plan->count &&
		       plan->wanted[plan->done].pages == pages)
			if (failed)
				plan->done++;
			else
				ret = measure_one(memlat, plan, &memory);
		if (!failed)
			tw_memory_unmap(&memory);
	}
	tw_memory_nodes(&nodes, TW_MEMORY_NODES_FILE);
	if (tw_cpu_list_count(&nodes) > 1 && memlat->arguments->node == TW_ANY_NODE)
		for (unsigned i = 0; !ret && i < TW_CPU_LIST_MAX &&
		     memlat->node_count < TW_MEMLAT_NODES; i++)
			if (tw_cpu_list_has(&nodes, i))
				ret = measure_node(memlat, i, &curve);
	tw_progress_end(&memlat->progress);
	memlat->was_interrupted = ret == -EINTR;
	return ret == -EINTR ? 0 : ret;
}

/* ---- what follows ------------------------------------------------------------ */

/* Find the levels in a copy, whose points are the fastest of all visits at the sizes that were
 * visited. The curve itself stays as it was measured. */
static void find_levels(struct tw_memlat *memlat, const struct plan *plan)
{
	const struct tw_curve *fastest = plan->visits ? &plan->fastest : NULL;
	struct tw_curve *curve;

	if (!plan->found)
		return;
	memlat->levels_of = curve = tw_malloc(sizeof(*curve));
	*curve = *plan->found;
	memlat->level_count = tw_levels_find(memlat->levels, curve, fastest);
	if (!fastest)
		return;
	memlat->visits = plan->visits;
	memlat->visited_up_to_bytes = plan->sizes[plan->visited_count - 1];
	for (unsigned i = 0; i < curve->count; i++) {
		const struct tw_memory_point *point =
			tw_curve_point(fastest, curve->points[i].bytes);

		if (point)
			curve->points[i] = *point;
	}
}

static int measure_all(struct tw_memlat *memlat)
{
	struct plan plan = { .levels_of = -1, .memlat = memlat };
	int ret = make_plan(&plan, memlat);

	if (!ret)
		ret = measure_planned(memlat, &plan);
	if (!ret) {
		find_levels(memlat, &plan);
		tw_memlat_places_conclude(&plan.places, memlat);
	}
	for (unsigned i = 0; i < VISITS; i++)
		tw_memory_unmap(&plan.visited[i]);
	tw_memlat_places_free(&plan.places);
	if (ret)
		return tw_command_fail(TW_MEMLAT, TW_EXIT_SOFTWARE, "%s", ret == -EINVAL ?
				       "these sizes and steps make no curve" : strerror(-ret));
	/* Fail if pages that the user named were not to be had. Small pages are always
	 * needed. */
	for (int i = 0; i < TW_PAGES_KINDS; i++)
		if (memlat->skipped[i] &&
		    (memlat->arguments->chose_pages || i == TW_PAGES_SMALL))
			return tw_command_fail(TW_MEMLAT, TW_EXIT_SOFTWARE, "no %s pages: %s",
					       tw_pages_names[i], memlat->skipped[i]);
	return TW_EXIT_GOOD;
}

int tw_memlat_measure(struct tw_memlat *memlat, const struct tw_memlat_arguments *arguments)
{
	uint64_t begin = tw_ticks_begin();
	struct tw_trust trust;
	int code;

	*memlat = (struct tw_memlat) {
		.arguments = arguments, .machine = TW_SIZED(struct tw_machine),
	};
	code = tw_memlat_take_place(&memlat->cpu, arguments);
	if (code != TW_EXIT_GOOD)
		return code;
	memlat->cache_count = tw_caches_read(memlat->caches, TW_CACHES_BASE, memlat->cpu);
	code = choose_sizes(memlat);
	if (code != TW_EXIT_GOOD)
		return code;
	tw_machine_read(&memlat->machine);
	if (!tw_trust_rate(tw_memlat_calibrate(&memlat->rate), &trust))
		return tw_command_fail(TW_MEMLAT, TW_EXIT_SOFTWARE, "%s", trust.why_not);
	memlat->curves = tw_zalloc(TW_MEMLAT_CURVES, sizeof(*memlat->curves));
	code = measure_all(memlat);
	if (code != TW_EXIT_GOOD)
		tw_memlat_free(memlat);
	memlat->took_ns = (uint64_t)((double)(tw_ticks_end() - begin) / memlat->rate.hz * 1e9);
	return code;
}

void tw_memlat_free(struct tw_memlat *memlat)
{
	free(memlat->curves);
	free(memlat->levels_of);
	memlat->curves = memlat->levels_of = NULL;
}
