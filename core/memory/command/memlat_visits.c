/* SPDX-License-Identifier: MIT */
/*
 * Measures the small sizes several times to find levels of caches. Such a measurement is
 * called a visit. Visits are spread over the whole run, and each uses other memory.
 *
 * A neighbour (the other thread of the core, or another guest) can take a part of a cache
 * for seconds, which is longer than one size is measured. And the physical pages that a
 * process gets decide which of them compete for the same lines of a cache.
 *
 * The order is random. Windows have phases: past the end of a cache, the fastest batch of a
 * window is one that still finds much of the window in the cache.
 */
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "memory/command/memlat.h"

#define VISITS		6
/* Larger than the caches that belong to a core, with room for a flat part after them. */
#define MAX_BYTES	((size_t)8 << 20)

struct tw_memlat_visits {
	enum tw_pages pages;
	const size_t *sizes;
	unsigned count;			/* number of sizes */
	unsigned taken, failed;		/* number of visits */
	/* Kept until the end, since the kernel would return freed pages at the next request. */
	struct tw_memory memories[VISITS];
	struct tw_curve best, current;
	struct tw_memlat *memlat;
};

struct tw_memlat_visits *tw_memlat_visits_new(enum tw_pages pages, const size_t *sizes,
					      unsigned count)
{
	struct tw_memlat_visits *visits = tw_zalloc(1, sizeof(*visits));

	visits->pages = pages;
	visits->sizes = sizes;
	while (visits->count < count && sizes[visits->count] <= MAX_BYTES)
		visits->count++;
	return visits;
}

static int show(void *context, unsigned point)
{
	const struct tw_memlat_visits *visits = context;
	char what[64] = "looking for levels, ";

	tw_memlat_size(what + strlen(what), visits->sizes[point]);
	return tw_memlat_show_progress(visits->memlat, visits->memlat->done, what);
}

static int visit(struct tw_memlat_visits *visits, struct tw_memlat *memlat)
{
	struct tw_memory *memory = &visits->memories[visits->taken];
	struct tw_memory_effort effort = memlat->arguments->effort;
	int node = memlat->arguments->node, ret;

	if (tw_memory_map(memory, visits->sizes[visits->count - 1], visits->pages, node)) {
		visits->failed++;
		return 0;
	}
	effort.point_ns /= 2;
	visits->memlat = memlat;
	visits->current = (struct tw_curve) {
		.node = node, .shape = tw_memlat_shape(memlat, TW_CYCLE_RANDOM),
	};
	ret = tw_curve_measure(&visits->current, memory, visits->sizes, visits->count, &effort,
			       memlat->rate.hz, show, visits);
	/* The points of an interrupted visit are used, but it is not counted. */
	if (!visits->taken)
		visits->best = visits->current;
	else
		tw_curve_keep_fastest(&visits->best, &visits->current);
	visits->taken += !ret;
	return ret;
}

int tw_memlat_visit(struct tw_memlat_visits *visits, struct tw_memlat *memlat, unsigned part,
		    unsigned parts)
{
	int ret = 0;

	while (!ret && visits && visits->count &&
	       visits->taken + visits->failed < VISITS * part / parts)
		ret = visit(visits, memlat);
	return ret;
}

void tw_memlat_visits_conclude(const struct tw_memlat_visits *visits, struct tw_memlat *memlat)
{
	struct tw_curve *curve = memlat->levels_of;
	const struct tw_curve *best = visits && visits->taken ? &visits->best : NULL;

	memlat->level_count = tw_levels_find(memlat->levels, curve, best);
	if (!best)
		return;
	memlat->visits = visits->taken;
	memlat->visited_up_to_bytes = visits->sizes[visits->count - 1];
	for (unsigned i = 0; i < curve->count; i++) {
		const struct tw_memory_point *point = tw_curve_point(best, curve->points[i].bytes);

		if (point)
			curve->points[i] = *point;
	}
}

void tw_memlat_visits_free(struct tw_memlat_visits *visits)
{
	for (unsigned i = 0; visits && i < VISITS; i++)
		tw_memory_unmap(&visits->memories[i]);
	free(visits);
}
