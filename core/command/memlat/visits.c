/* SPDX-License-Identifier: MIT */
/*
 * Measures the small sizes several times to find levels of caches. These
 * measurements are spread over the whole run, and each uses other memory.
 *
 * A neighbour (the other thread of the core, or another guest) can take a part
 * of a cache for seconds, which is longer than one size is measured. And the
 * physical pages that a process gets decide which of them compete for the same
 * lines of a cache.
 *
 * The order is random. Windows have phases: past the end of a cache, the
 * fastest batch of a window is one that still finds much of the window in the
 * cache.
 */
#include <stdlib.h>

#include "command/memlat/memlat.h"

#define LOOKS		6
/* Larger than the caches that belong to a core, with room for a flat part after
 * them. */
#define MAX_BYTES	((size_t)8 << 20)

struct tw_memlat_looks {
	enum tw_pages pages;
	const size_t *sizes;
	unsigned count;			/* number of sizes */
	unsigned taken, failed;		/* number of measurements */
	/* Kept until the end, since the kernel would return freed pages at the
	 * next request. */
	struct tw_memory memories[LOOKS];
	struct tw_curve best, look;
};

struct tw_memlat_looks *tw_memlat_looks_new(enum tw_pages pages,
					    const size_t *sizes,
					    unsigned count)
{
	struct tw_memlat_looks *looks = calloc(1, sizeof(*looks));

	if (!looks)
		return NULL;
	looks->pages = pages;
	looks->sizes = sizes;
	while (looks->count < count && sizes[looks->count] <= MAX_BYTES)
		looks->count++;
	return looks;
}

static int look(struct tw_memlat_looks *looks, const struct tw_memlat *memlat,
		const struct tw_memlat_arguments *arguments,
		int (*progress)(void *context, unsigned point), void *context)
{
	struct tw_memory *memory = &looks->memories[looks->taken];
	struct tw_memory_effort effort = arguments->effort;
	int ret;

	if (tw_memory_map(memory, looks->sizes[looks->count - 1], looks->pages,
			  arguments->node)) {
		looks->failed++;
		return 0;
	}
	effort.point_ns /= 2;
	looks->look = (struct tw_curve) { .node = arguments->node };
	looks->look.shape = tw_memlat_shape(arguments, memlat,
					    TW_CYCLE_RANDOM);
	ret = tw_curve_measure(&looks->look, memory, looks->sizes,
			       looks->count, &effort, memlat->rate.hz, progress,
			       context);
	/* The points of an interrupted measurement are used, but it is not
	 * counted. */
	if (!looks->taken)
		looks->best = looks->look;
	else
		tw_curve_keep_fastest(&looks->best, &looks->look);
	looks->taken += !ret;
	return ret;
}

int tw_memlat_look(struct tw_memlat_looks *looks,
		   const struct tw_memlat *memlat,
		   const struct tw_memlat_arguments *arguments, unsigned part,
		   unsigned parts,
		   int (*progress)(void *context, unsigned point),
		   void *context)
{
	int ret = 0;

	while (!ret && looks->count &&
	       looks->taken + looks->failed < LOOKS * part / parts)
		ret = look(looks, memlat, arguments, progress, context);
	return ret;
}

void tw_memlat_looks_conclude(const struct tw_memlat_looks *looks,
			      struct tw_memlat *memlat)
{
	struct tw_curve *curve = memlat->levels_of;
	const struct tw_curve *best = looks && looks->taken ? &looks->best :
							      NULL;

	memlat->level_count = tw_levels_find(memlat->levels, curve, best);
	if (!best)
		return;
	memlat->looks = looks->taken;
	memlat->looked_up_to_bytes = looks->sizes[looks->count - 1];
	for (unsigned i = 0; i < curve->count; i++) {
		const struct tw_memory_point *point;

		point = tw_curve_point(best, curve->points[i].bytes);
		if (point)
			curve->points[i] = *point;
	}
}

void tw_memlat_looks_free(struct tw_memlat_looks *looks)
{
	for (unsigned i = 0; looks && i < LOOKS; i++)
		tw_memory_unmap(&looks->memories[i]);
	free(looks);
}
