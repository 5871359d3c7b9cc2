/* SPDX-License-Identifier: MIT */
/*
 * Measures what translation costs a random load, in several places (see memlat.h). Places
 * are spread over the whole run, since other guests and programs take a part of a cache for
 * seconds.
 */
#include <errno.h>
#include <math.h>

#include "array.h"
#include "memory/command/memlat.h"

/* The largest size. Its sixteen places of two memories each take 2 GB. */
#define MAX_BYTES	((size_t)64 << 20)
/* A turn takes this part of a point of a curve. */
#define TURN_PART	16
/* The least part of the control that is on huge pages. */
#define HUGE_PART	0.9

/* ---- the cost of translations, by order statistics over places ---- */

/* The 97.5th percentile of the normal distribution. With 14 to 16 places the
 * ranks are the third or fourth from either end, which hold the median with
 * 97.9 to 99.3 %. */
#define SIGMAS_95	1.96

static struct tw_tlb_range range_of(double *values, unsigned count)
{
	unsigned rank = (unsigned)(count / 2.0 - SIGMAS_95 * sqrt(count) / 2);
	double median = tw_median(values, count);

	return (struct tw_tlb_range) { median, values[rank - 1],
				       values[count - rank] };
}

int tw_tlb_cost_of(struct tw_tlb_cost *cost, const struct tw_tlb_place *places,
		   unsigned count)
{
	double random[TW_TLB_PLACES], small[TW_TLB_PLACES];
	double huge[TW_TLB_PLACES], translation[TW_TLB_PLACES];

	if (count < TW_TLB_MIN_PLACES || count > TW_TLB_PLACES)
		return -EAGAIN;
	cost->places = count;
	cost->places_without = 0;
	for (unsigned i = 0; i < count; i++) {
		random[i] = places[i].small_ns[0];
		small[i] = places[i].small_ns[0] - places[i].small_ns[1];
		huge[i] = places[i].huge_ns[0] - places[i].huge_ns[1];
		translation[i] = small[i] - huge[i];
		cost->places_without += !(translation[i] > 0);
	}
	cost->random_ns = tw_median(random, count);
	cost->small = range_of(small, count);
	cost->huge = range_of(huge, count);
	cost->translation = range_of(translation, count);
	return 0;
}

double tw_tlb_share(const struct tw_tlb_cost *cost)
{
	return cost->places_without > 1 ? 0 :
	       cost->translation.ns / cost->random_ns;
}

/* ---- measuring ---- */

void tw_memlat_places_plan(struct tw_memlat_places *places, const struct tw_memlat *memlat)
{
	const struct tw_memlat_arguments *asked = memlat->arguments;
	size_t max = memlat->max_bytes < MAX_BYTES ? memlat->max_bytes : MAX_BYTES;
	/* Up to a window both orders are the same. */
	size_t bytes = asked->window_bytes;

	if (!asked->kinds[TW_CYCLE_RANDOM] || !asked->kinds[TW_CYCLE_WINDOW] ||
	    !asked->pages[TW_PAGES_SMALL] || !asked->pages[TW_PAGES_TRANSPARENT] ||
	    asked->stride_bytes < 2 * sizeof(void *))
		return;
	while (bytes <= max / 2) {
		bytes *= 2;
		/* All places take at most half of the memory that the curves leave. */
		if (TW_TLB_PLACES * (uint64_t)(tw_pages_rounded(bytes, TW_PAGES_SMALL) +
					       tw_pages_rounded(bytes, TW_PAGES_TRANSPARENT)) >
		    (memlat->available_bytes - memlat->max_bytes) / 2)
			places->why_not = "too little memory is available";
		else if (bytes >= memlat->min_bytes)
			places->sizes[places->size_count++] = bytes;
	}
}

/* Measure one size in one place, with its @cycles by pages and order. A size that was too
 * disturbed lacks this place. Which pages and which order are first changes from place to
 * place. */
static int measure_size(struct tw_memlat_places *places, unsigned size,
			struct tw_cycle cycles[2][2], struct tw_memory_effort effort, double hz)
{
	struct tw_tlb_place *place = &places->places[size][places->counts[size]];
	size_t bytes = places->sizes[size];
	unsigned taken = places->taken;
	int ret = 0;

	effort.point_ns /= TURN_PART;
	for (unsigned i = 0; !ret && i < 2; i++) {
		unsigned pages = i ^ (taken & 1);

		for (int order = 0; !ret && order < 2; order++)
			ret = tw_cycle_grow(&cycles[pages][order], bytes);
		if (!ret)
			ret = tw_memory_compare(pages ? place->huge_ns : place->small_ns,
						cycles[pages], taken >> 1 & 1, &effort, hz);
	}
	places->counts[size] += !ret;
	return ret == -EAGAIN ? 0 : ret;
}

/* Map both memories, and measure in them. They are kept until the end, since the kernel would
 * return freed pages at the next request. The two orders of a memory, random and window, are
 * linked at once: the pointers of the second are next to those of the first. */
static int measure_place(struct tw_memlat_places *places, struct tw_memlat *memlat)
{
	struct tw_memory *memories = places->memories[places->taken];
	struct tw_memory *huge = &memories[TW_PAGES_TRANSPARENT];
	size_t bytes = places->sizes[places->size_count - 1];
	int node = memlat->arguments->node;
	int ret = tw_memory_map(&memories[TW_PAGES_SMALL], bytes, TW_PAGES_SMALL, node);
	struct tw_cycle cycles[2][2];

	if (ret || tw_memory_map(huge, bytes, TW_PAGES_TRANSPARENT, node) ||
	    (double)huge->huge_bytes < HUGE_PART * (double)bytes) {
		places->why_not = ret ? tw_pages_why_not(ret, TW_PAGES_SMALL) :
				  "there are too few huge pages to compare with";
		return 0;
	}
	places->why_not = "too few places were measured undisturbed";
	for (unsigned i = 0; !ret && i < 4; i++) {
		struct tw_cycle_shape shape =
			tw_memlat_shape(memlat, i % 2 ? TW_CYCLE_WINDOW : TW_CYCLE_RANDOM);

		ret = tw_cycle_init(&cycles[i / 2][i % 2], &shape,
				    memories[i / 2].start + i % 2 * sizeof(void *));
	}
	for (unsigned i = 0; !ret && i < places->size_count; i++) {
		tw_progress_show(&memlat->progress, memlat->done, "translations, place %u of %u",
				 places->taken + 1, TW_TLB_PLACES);
		ret = tw_command_is_interrupted() ? -EINTR :
		      measure_size(places, i, cycles, memlat->arguments->effort,
				   memlat->rate.hz);
	}
	return ret;
}

int tw_memlat_places_visit(struct tw_memlat_places *places, struct tw_memlat *memlat,
			   unsigned part, unsigned parts)
{
	int ret = 0;

	for (; !ret && places->size_count && places->taken < TW_TLB_PLACES * part / parts;
	     places->taken++)
		ret = measure_place(places, memlat);
	return ret;
}

void tw_memlat_places_conclude(const struct tw_memlat_places *places,
			       struct tw_memlat *memlat)
{
	for (unsigned i = 0; i < places->size_count; i++) {
		struct tw_tlb_cost *cost = &memlat->costs[memlat->cost_count];

		cost->bytes = places->sizes[i];
		memlat->cost_count += !tw_tlb_cost_of(cost, places->places[i],
						      places->counts[i]);
	}
	if (!memlat->cost_count)
		memlat->no_costs = places->why_not;
}

void tw_memlat_places_free(struct tw_memlat_places *places)
{
	for (unsigned i = 0; i < TW_TLB_PLACES; i++)
		for (int j = 0; j < 2; j++)
			tw_memory_unmap(&places->memories[i][j]);
}
