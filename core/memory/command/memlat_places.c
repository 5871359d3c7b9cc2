/* SPDX-License-Identifier: MIT */
/*
 * Measures what translation costs a random load, in several places (see memlat.h). Places
 * are spread over the whole run, since other guests and programs take a part of a cache for
 * seconds.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>

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
	double median = tw_memory_median(values, count);

	return (struct tw_tlb_range) { median, values[rank - 1],
				       values[count - rank] };
}

static double difference(const struct tw_tlb_orders *orders)
{
	return orders->random_ns - orders->window_ns;
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
		random[i] = places[i].small.random_ns;
		small[i] = difference(&places[i].small);
		huge[i] = difference(&places[i].huge);
		translation[i] = small[i] - huge[i];
		cost->places_without += !(translation[i] > 0);
	}
	cost->random_ns = tw_memory_median(random, count);
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

static int is_wanted(const struct tw_memlat_arguments *arguments)
{
	return arguments->kinds[TW_CYCLE_RANDOM] && arguments->kinds[TW_CYCLE_WINDOW] &&
	       arguments->pages[TW_PAGES_SMALL] && arguments->pages[TW_PAGES_TRANSPARENT] &&
	       arguments->stride_bytes >= 2 * sizeof(void *);
}

void tw_memlat_places_plan(struct tw_memlat_places *places, const struct tw_memlat *memlat,
			   uint64_t available)
{
	size_t max = memlat->max_bytes < MAX_BYTES ? memlat->max_bytes : MAX_BYTES;
	/* Up to a window both orders are the same. */
	size_t bytes = memlat->arguments->window_bytes;

	if (!is_wanted(memlat->arguments))
		return;
	while (bytes <= max / 2) {
		bytes *= 2;
		/* All places take at most half of the memory that the curves leave. */
		if (available && 2 * TW_TLB_PLACES * (uint64_t)bytes + memlat->max_bytes / 2 >
				 available / 2)
			places->why_not = "too little memory is available";
		else if (bytes >= memlat->min_bytes)
			places->sizes[places->size_count++] = bytes;
	}
}

/* Map both memories. They are kept until the end, since the kernel would return freed pages
 * at the next request. Return 1 if they are as they should be. */
static int take(struct tw_memlat_places *places, struct tw_memory memories[2], int node)
{
	struct tw_memory *huge = &memories[TW_PAGES_TRANSPARENT];
	size_t bytes = places->sizes[places->size_count - 1];
	int ret = tw_memory_map(&memories[TW_PAGES_SMALL], bytes, TW_PAGES_SMALL, node);

	if (!ret && !tw_memory_map(huge, bytes, TW_PAGES_TRANSPARENT, node) &&
	    (double)huge->huge_bytes >= HUGE_PART * (double)bytes) {
		places->why_not = "too few places were measured undisturbed";
		return 1;
	}
	places->why_not = ret ? tw_pages_why_not(ret, TW_PAGES_SMALL) :
			  "there are too few huge pages to compare with";
	return 0;
}

/* The two orders in one memory: random, window. Both are linked at once: the pointers of the
 * second are next to those of the first. */
struct orders {
	struct tw_cycle cycles[2];
};

static int init(struct orders *orders, const struct tw_memory *memory,
		const struct tw_memlat *memlat)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < 2; i++) {
		struct tw_cycle_shape shape =
			tw_memlat_shape(memlat, i ? TW_CYCLE_WINDOW : TW_CYCLE_RANDOM);

		ret = tw_cycle_init(&orders->cycles[i], &shape,
				    memory->start + i * sizeof(void *));
	}
	return ret;
}

/* Measure one size in one place. A size that was too disturbed lacks this place. Which pages
 * and which order are first changes from place to place. */
static int measure_size(struct tw_memlat_places *places, unsigned size,
			struct orders orders[2], struct tw_memory_effort effort, double hz)
{
	double ns[2][2] = { { 0 } };	/* pages, order */
	size_t bytes = places->sizes[size];
	unsigned place = places->taken;
	int ret = 0;

	effort.point_ns /= TURN_PART;
	for (unsigned i = 0; !ret && i < 2; i++) {
		unsigned pages = i ^ (place & 1);

		ret = tw_cycle_grow(&orders[pages].cycles[0], bytes);
		if (!ret)
			ret = tw_cycle_grow(&orders[pages].cycles[1], bytes);
		if (!ret)
			ret = tw_memory_compare(ns[pages], orders[pages].cycles, place >> 1 & 1,
						&effort, hz);
	}
	if (!ret)
		places->places[size][places->counts[size]++] = (struct tw_tlb_place) {
			{ ns[0][0], ns[0][1] }, { ns[1][0], ns[1][1] } };
	return ret == -EAGAIN ? 0 : ret;
}

static int measure_place(struct tw_memlat_places *places, struct tw_memlat *memlat)
{
	struct tw_memory *memories = places->memories[places->taken];
	struct orders orders[2];
	char what[64];
	int ret = 0;

	if (!take(places, memories, memlat->arguments->node))
		return 0;
	snprintf(what, sizeof(what), "translations, place %u of %u", places->taken + 1,
		 TW_TLB_PLACES);
	for (int pages = 0; !ret && pages < 2; pages++)
		ret = init(&orders[pages], &memories[pages], memlat);
	for (unsigned i = 0; !ret && i < places->size_count; i++)
		ret = tw_memlat_show_progress(memlat, memlat->done, what) ? -EINTR :
		      measure_size(places, i, orders, memlat->arguments->effort,
				   memlat->rate.hz);
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
