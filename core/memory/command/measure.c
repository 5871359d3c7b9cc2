/* SPDX-License-Identifier: MIT */
/*
 * tickwise memlat: measures the requested curves, and finds levels and costs of
 * translations in them.
 */
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command/command.h"
#include "command/output/page.h"
#include "command/output/progress.h"
#include "memory/command/memlat.h"
#include "base/allocate.h"
#include "machine/cpus.h"
#include "memory/available.h"
#include "trust.h"

#define CALIBRATION_NS	20000000
#define LONGEST_CALIBRATION_NS	640000000
/* The default of the largest size: past the last cache, but small enough that a
 * run takes about a minute. */
#define TIMES_LAST	4
#define MIN_MAX_BYTES	((size_t)64 << 20)
#define MAX_MAX_BYTES	((size_t)1 << 30)

struct wanted {
	enum tw_cycle_kind kind;
	enum tw_pages pages;
};

struct progress {
	const char *kind, *pages;
	unsigned before, all;		/* number of points */
	const size_t *sizes;
	struct tw_progress line;
};

/* All measurements, in order. */
struct plan {
	struct wanted wanted[TW_MEMLAT_CURVES];
	unsigned count, done;
	size_t sizes[TW_SWEEP_SIZES];
	unsigned size_count;
	int levels_of;			/* index into @wanted; -1: no such curve */
	struct tw_memlat_visits *visits; /* NULL: none */
	struct tw_memlat_places places;
	struct progress progress;
};

/* ---- the plan -------------------------------------------------------------- */

/* Plan the curves. By default small pages have all curves. Transparent huge
 * pages have only the random one, which shows their benefit. */
static void plan_curves(struct plan *plan,
			const struct tw_memlat_arguments *arguments)
{
	for (int pages = 0; pages < TW_PAGES_KINDS; pages++)
		for (int kind = 0; kind < TW_CYCLE_KINDS; kind++)
			if (arguments->pages[pages] && arguments->kinds[kind] &&
			    (arguments->chose_pages ||
			     pages == TW_PAGES_SMALL ||
			     kind == TW_CYCLE_RANDOM))
				plan->wanted[plan->count++] = (struct wanted) {
					(enum tw_cycle_kind)kind,
					(enum tw_pages)pages };
}

/* Return 1 if the kernel gives pages of this kind. */
static int can_have(enum tw_pages pages)
{
	struct tw_memory memory;

	if (tw_memory_map(&memory, 4096, pages, TW_ANY_NODE))
		return 0;
	tw_memory_unmap(&memory);
	return 1;
}

/* Return how well a curve suits to find levels; 0: not at all. Windows are
 * best, since translations cost least there; small pages are best for them.
 * Otherwise a curve in random order on the largest pages is used. */
static unsigned fitness(struct wanted wanted)
{
	unsigned size = (unsigned)wanted.pages;

	if (!can_have(wanted.pages))
		return 0;
	if (wanted.kind == TW_CYCLE_RANDOM)
		return 1 + size;
	if (wanted.kind == TW_CYCLE_WINDOW)
		return 1 + TW_PAGES_KINDS + (size ? size : TW_PAGES_KINDS);
	return 0;
}

static void plan_levels(struct plan *plan)
{
	unsigned best = 0;

	plan->levels_of = -1;
	for (unsigned i = 0; i < plan->count; i++) {
		unsigned fits = fitness(plan->wanted[i]);

		if (fits > best)
			plan->levels_of = (int)i;
		best = fits > best ? fits : best;
	}
}

static int choose_sizes(struct tw_memlat *memlat,
			const struct tw_memlat_arguments *arguments)
{
	uint64_t available = tw_memory_available();
	char wants[TW_FORMAT_SIZE], has[TW_FORMAT_SIZE];
	size_t max = MIN_MAX_BYTES;

	memlat->min_bytes = arguments->min_bytes ? arguments->min_bytes : 4096;
	memlat->max_bytes = arguments->max_bytes;
	if (!memlat->max_bytes) {
		for (unsigned i = 0; i < memlat->cache_count; i++)
			if (memlat->caches[i].bytes * TIMES_LAST > max)
				max = memlat->caches[i].bytes * TIMES_LAST;
		if (max > MAX_MAX_BYTES)
			max = MAX_MAX_BYTES;
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

static int take_cpu(unsigned *taken, int wanted)
{
	int cpu = wanted >= 0 ? wanted : sched_getcpu();
	int ret = cpu < 0 ? -errno : tw_pin_to_cpu((unsigned)cpu);

	if (ret)
		return tw_command_fail(TW_MEMLAT, TW_EXIT_SOFTWARE, "can't run "
				       "on CPU %d: %s", cpu, ret == -EINVAL ?
				       "it is not there, or not allowed" :
				       strerror(-ret));
	*taken = (unsigned)cpu;
	return TW_EXIT_GOOD;
}

static int check_node(int wanted)
{
	unsigned nodes[TW_MEMLAT_NODES];
	unsigned count = tw_memory_nodes(nodes, TW_MEMLAT_NODES);

	if (wanted == TW_ANY_NODE)
		return TW_EXIT_GOOD;
	for (unsigned i = 0; i < count; i++)
		if (nodes[i] == (unsigned)wanted)
			return TW_EXIT_GOOD;
	return tw_command_fail(TW_MEMLAT, TW_EXIT_SOFTWARE, "there is no "
			       "memory on a NUMA node %d", wanted);
}

int tw_memlat_take_place(unsigned *cpu,
			 const struct tw_memlat_arguments *arguments)
{
	int code = take_cpu(cpu, arguments->cpu);

	return code == TW_EXIT_GOOD ? check_node(arguments->node) : code;
}

/* ---- measuring --------------------------------------------------------------- */

static int show(void *context, unsigned point)
{
	struct progress *progress = context;
	char size[TW_FORMAT_SIZE];

	tw_progress_show(&progress->line,
			 (double)(progress->before + point) / progress->all,
			 "%s on %s pages, %s", progress->kind, progress->pages,
			 tw_memlat_size(size, progress->sizes[point]));
	return tw_command_is_interrupted();
}

/* Show the progress of the search for levels. Points have the same numbers as
 * in the curve. */
static int show_visit(void *context, unsigned point)
{
	struct progress *progress = context;
	char size[TW_FORMAT_SIZE];

	tw_progress_show(&progress->line, (double)progress->before / progress->all,
			 "looking for levels, %s", tw_memlat_size(size, progress->sizes[point]));
	return tw_command_is_interrupted();
}

static int show_place(void *context, unsigned place)
{
	struct progress *progress = context;

	tw_progress_show(&progress->line, (double)progress->before / progress->all,
			 "translations, place %u of %u", place + 1, TW_TLB_PLACES);
	return tw_command_is_interrupted();
}

struct tw_cycle_shape tw_memlat_shape(const struct tw_memlat_arguments *arguments,
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

static int make_plan(struct plan *plan, const struct tw_memlat *memlat,
		     const struct tw_memlat_arguments *arguments)
{
	/* Sizes are multiples of the stride. Curves that stride by pages leave
	 * out sizes below one page. */
	int count = tw_sweep_sizes(plan->sizes, memlat->min_bytes,
				   memlat->max_bytes, arguments->per_octave,
				   memlat->caches, memlat->cache_count,
				   arguments->stride_bytes);

	if (count < 0)
		return count;
	plan->size_count = (unsigned)count;
	plan_curves(plan, arguments);
	plan_levels(plan);
	tw_memlat_places_plan(&plan->places, memlat, arguments,
			      tw_memory_available());
	plan->progress = (struct progress) {
		.sizes = plan->sizes, .line = tw_progress_begin(TW_MEMLAT, 0),
		.all = plan->count * plan->size_count,
	};
	if (plan->levels_of >= 0 && plan->size_count >= TW_LEVEL_MIN_POINTS)
		plan->visits = tw_memlat_visits_new(plan->wanted[plan->levels_of].pages,
						    plan->sizes, plan->size_count);
	return 0;
}

/* Measure the next curve, then search for levels and for the cost of
 * translations as far as that is due. */
static int measure_one(struct tw_memlat *memlat, struct plan *plan,
		       const struct tw_memory *memory,
		       const struct tw_memlat_arguments *arguments)
{
	struct tw_curve *curve = &memlat->curves[memlat->curve_count];
	const struct wanted *wanted = &plan->wanted[plan->done];
	struct progress *progress = &plan->progress;
	int ret;

	*curve = (struct tw_curve) { .node = arguments->node };
	curve->shape = tw_memlat_shape(arguments, memlat, wanted->kind);
	progress->kind = tw_cycle_names[wanted->kind];
	progress->pages = tw_pages_names[wanted->pages];
	ret = tw_curve_measure(curve, memory, plan->sizes, plan->size_count,
			       &arguments->effort, memlat->rate.hz, show,
			       progress);
	/* The points of an interrupted curve are used. */
	memlat->curve_count += !ret || (ret == -EINTR && curve->count);
	progress->before += plan->size_count;
	plan->done++;
	if (!ret && plan->visits)
		ret = tw_memlat_visit(plan->visits, memlat, arguments,
				      plan->done, plan->count, show_visit,
				      progress);
	if (!ret)
		ret = tw_memlat_places_visit(&plan->places, memlat, arguments,
					     plan->done, plan->count, show_place,
					     progress);
	return ret;
}

/* Measure all wanted curves on pages of one kind, in one mapping. */
static int measure_on(struct tw_memlat *memlat, enum tw_pages pages,
		      const struct tw_memlat_arguments *arguments,
		      struct plan *plan)
{
	struct tw_memory memory;
	int ret = tw_memory_map(&memory, memlat->max_bytes, pages,
				arguments->node);

	if (ret)
		memlat->skipped[pages] = tw_pages_why_not(ret, pages);
	if (ret) {
		while (plan->done < plan->count &&
		       plan->wanted[plan->done].pages == pages)
			plan->done++;
		return 0;
	}
	while (!ret && plan->done < plan->count &&
	       plan->wanted[plan->done].pages == pages)
		ret = measure_one(memlat, plan, &memory, arguments);
	tw_memory_unmap(&memory);
	return ret;
}

static int measure_nodes(struct tw_memlat *memlat,
			 const struct tw_memlat_arguments *arguments)
{
	unsigned nodes[TW_MEMLAT_NODES];
	unsigned count = tw_memory_nodes(nodes, TW_MEMLAT_NODES);

	if (count < 2 || arguments->node != TW_ANY_NODE)
		return 0;
	return tw_memlat_measure_nodes(memlat, arguments, nodes, count);
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

/* Find the levels in a copy. The curve itself stays as it was measured. */
static void find_levels(struct tw_memlat *memlat, const struct plan *plan)
{
	const struct wanted *wanted;
	const struct tw_curve *curve;

	if (plan->levels_of < 0)
		return;
	wanted = &plan->wanted[plan->levels_of];
	curve = tw_memlat_find(memlat, wanted->kind, wanted->pages);
	if (!curve)
		return;
	memlat->levels_of = tw_malloc(sizeof(*curve));
	*memlat->levels_of = *curve;
	tw_memlat_visits_conclude(plan->visits, memlat);
}

static int measure_planned(struct tw_memlat *memlat,
			   const struct tw_memlat_arguments *arguments,
			   struct plan *plan)
{
	int ret = 0;

	for (int pages = 0; !ret && pages < TW_PAGES_KINDS; pages++)
		if (arguments->pages[pages])
			ret = measure_on(memlat, (enum tw_pages)pages,
					 arguments, plan);
	if (!ret)
		ret = measure_nodes(memlat, arguments);
	tw_progress_end(&plan->progress.line);
	memlat->was_interrupted = ret == -EINTR;
	return ret == -EINTR ? 0 : ret;
}

static int measure_all(struct tw_memlat *memlat,
		       const struct tw_memlat_arguments *arguments)
{
	struct plan plan = { .levels_of = -1 };
	int ret = make_plan(&plan, memlat, arguments);

	if (!ret)
		ret = measure_planned(memlat, arguments, &plan);
	if (!ret) {
		find_levels(memlat, &plan);
		tw_memlat_places_conclude(&plan.places, memlat);
	}
	tw_memlat_visits_free(plan.visits);
	tw_memlat_places_free(&plan.places);
	return ret;
}

/* Fail if pages that the user named were not to be had. Small pages are always
 * needed. */
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

static int prepare(struct tw_memlat *memlat,
		   const struct tw_memlat_arguments *arguments)
{
	int code = tw_memlat_take_place(&memlat->cpu, arguments);
	struct tw_trust trust;
	int ret;

	if (code != TW_EXIT_GOOD)
		return code;
	memlat->cache_count = tw_caches_read(memlat->caches, TW_CACHES_BASE,
					     memlat->cpu);
	code = choose_sizes(memlat, arguments);
	if (code != TW_EXIT_GOOD)
		return code;
	tw_machine_read(&memlat->machine);
	ret = tw_memlat_calibrate(&memlat->rate);
	if (!tw_trust_rate(ret, &trust))
		return tw_command_fail(TW_MEMLAT, TW_EXIT_SOFTWARE, "%s",
				       trust.why_not);
	return TW_EXIT_GOOD;
}

int tw_memlat_measure(struct tw_memlat *memlat,
		      const struct tw_memlat_arguments *arguments)
{
	uint64_t begin = tw_ticks_begin();
	int code, ret;

	*memlat = (struct tw_memlat) {
		.rate = TW_SIZED(struct tw_rate),
		.machine = TW_SIZED(struct tw_machine),
	};
	code = prepare(memlat, arguments);
	if (code != TW_EXIT_GOOD)
		return code;
	memlat->curves = tw_zalloc(TW_MEMLAT_CURVES, sizeof(*memlat->curves));
	ret = measure_all(memlat, arguments);
	code = ret ? tw_command_fail(TW_MEMLAT, TW_EXIT_SOFTWARE, "%s",
				     ret == -EINVAL ?
				     "these sizes and steps make no curve" :
				     strerror(-ret)) :
		     check_skipped(memlat, arguments);
	if (code != TW_EXIT_GOOD) {
		tw_memlat_free(memlat);
		return code;
	}
	memlat->took_ns = (uint64_t)((double)(tw_ticks_end() - begin) /
				     memlat->rate.hz * 1e9);
	return TW_EXIT_GOOD;
}

void tw_memlat_free(struct tw_memlat *memlat)
{
	free(memlat->curves);
	free(memlat->levels_of);
	memlat->curves = memlat->levels_of = NULL;
}
