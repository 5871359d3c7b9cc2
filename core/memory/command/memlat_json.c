/* SPDX-License-Identifier: MIT */
/*
 * Makes one JSON object of the results of tickwise memlat.
 */
#include "memory/command/memlat.h"

/* Make an array of @element, an expression of i, for each i below @count. */
#define ARRAY(count, element) __extension__ ({				\
	json_t *array_ = json_array();					\
									\
	for (unsigned i = 0; i < (count); i++)				\
		json_array_append_new(array_, (element));		\
	array_;								\
})

static json_t *size_or_null(size_t bytes)
{
	return bytes ? json_integer((json_int_t)bytes) : json_null();
}

static json_t *json_level(const struct tw_memlat *memlat, unsigned i)
{
	const struct tw_level *level = &memlat->levels[i];
	const struct tw_cache *cache = tw_memlat_cache(memlat, i);

	return json_pack("{ss, so, so, sf, so, so, sf, sf, sf, si, sf, so, ss}",
		"name", tw_memlat_level_name(memlat, i),
		"size_bytes", size_or_null(level->size_bytes),
		"next_size_bytes", size_or_null(level->next_bytes),
		"latency_ns", level->latency_ns,
		"latency_cycles", tw_json_known(level->cycle_ns > 0 ?
						level->latency_ns / level->cycle_ns : 0),
		"cycles", tw_json_known(level->cycles),
		"low_ns", level->low_ns,
		"high_ns", level->high_ns,
		"error_ns", level->error_ns,
		"points", (int)level->points,
		"latency_ticks", level->latency_ns * memlat->rate.hz / 1e9,
		"sysfs_bytes", size_or_null(cache ? cache->bytes : 0),
		"sysfs", tw_level_agreement_names[tw_level_compare(level, cache)]);
}

static json_t *json_point(const struct tw_memory_point *point)
{
	json_t *json = json_pack("{sI, sI, sI, sI, si, si, sf}",
		"size_bytes", (json_int_t)point->bytes,
		"footprint_bytes", (json_int_t)point->footprint_bytes,
		"elements", (json_int_t)point->elements,
		"loads_per_batch", (json_int_t)point->loads,
		"batches", (int)point->batches,
		"disturbed", (int)point->disturbed,
		"warm_passes", point->warm_passes);
	double cycle_ns = point->cycle_ns;
	json_t *figures;

	if (!point->batches)
		return json;
	figures = json_pack("{sf, sf, sf, sf, sf, so, so}",
		"min_ns", point->min_ns,
		"median_ns", point->median_ns,
		"p90_ns", point->p90_ns,
		"median_low_ns", point->low_ns,
		"median_high_ns", point->high_ns,
		"min_cycles", tw_json_known(cycle_ns > 0 ? point->min_ns / cycle_ns : 0),
		"core_hz", tw_json_known(cycle_ns > 0 ? 1e9 / cycle_ns : 0));
	json_object_update(json, figures);
	json_decref(figures);
	return json;
}

static json_t *json_curve(const struct tw_curve *curve)
{
	return json_pack("{ss, ss, sI, sf, so, sI, sI, si, sI, so}",
		"kind", tw_cycle_names[curve->shape.kind],
		"pages", tw_pages_names[curve->pages],
		"page_bytes", (json_int_t)curve->page_bytes,
		"huge_share", curve->huge_share,
		"node", curve->node == TW_ANY_NODE ? json_null() : json_integer(curve->node),
		"stride_bytes", (json_int_t)curve->shape.stride_bytes,
		"window_bytes", (json_int_t)curve->shape.window_bytes,
		"passes", (int)curve->shape.passes,
		"seed", (json_int_t)curve->shape.seed,
		"points", ARRAY(curve->count, json_point(&curve->points[i])));
}

static json_t *json_range(const struct tw_tlb_range *range)
{
	return json_pack("{sf, sf, sf}", "ns", range->ns, "low_ns", range->low_ns,
			 "high_ns", range->high_ns);
}

static json_t *json_cost(const struct tw_tlb_cost *cost)
{
	return json_pack("{sI, si, si, sf, so, so, so, so}",
		"size_bytes", (json_int_t)cost->bytes,
		"places", (int)cost->places,
		"places_without", (int)cost->places_without,
		"random_ns", cost->random_ns,
		"small", json_range(&cost->small),
		"huge", json_range(&cost->huge),
		"translation", json_range(&cost->translation),
		"share", tw_json_known(tw_tlb_share(cost)));
}

json_t *tw_memlat_json(const struct tw_memlat *memlat)
{
	json_t *skipped = json_object();	/* the kinds of pages, and why */
	json_t *levels_from = json_null();

	for (int i = 0; i < TW_PAGES_KINDS; i++)
		if (memlat->skipped[i])
			json_object_set_new(skipped, tw_pages_names[i],
					    json_string(memlat->skipped[i]));
	/* The curve that levels are found in. Its sizes up to "visited_up_to_bytes" are the
	 * fastest of several visits in random order. */
	if (memlat->levels_of) {
		levels_from = json_curve(memlat->levels_of);
		json_object_set_new(levels_from, "visits",
				    json_integer((json_int_t)memlat->visits));
		json_object_set_new(levels_from, "visited_up_to_bytes",
				    size_or_null(memlat->visited_up_to_bytes));
	}
	return json_pack("{ss, si, si, sf, sf, so, so, so, so, so, ss?, so, so, sI, sb}",
		"schema", "tickwise-memlat",
		"version", 1,
		"cpu", (int)memlat->cpu,
		"counter_hz", memlat->rate.hz,
		"counter_uncertainty_ppb", memlat->rate.uncertainty_ppb,
		"caches", ARRAY(memlat->cache_count, json_pack("{si, sI, so, so}",
			"level", (int)memlat->caches[i].level,
			"size_bytes", (json_int_t)memlat->caches[i].bytes,
			"line_bytes", size_or_null(memlat->caches[i].line_bytes),
			"shared_by_cpus", size_or_null(memlat->caches[i].shared_by))),
		"levels", ARRAY(memlat->level_count, json_level(memlat, i)),
		"levels_from", levels_from,
		"curves", ARRAY(memlat->curve_count, json_curve(&memlat->curves[i])),
		"translation", ARRAY(memlat->cost_count, json_cost(&memlat->costs[i])),
		"no_translation", memlat->no_costs,
		"nodes", ARRAY(memlat->node_count, json_pack("{si, so}",
			"node", (int)memlat->nodes[i].node,
			"point", json_point(&memlat->nodes[i].point))),
		"skipped_pages", skipped,
		"took_ns", (json_int_t)memlat->took_ns,
		"interrupted", memlat->was_interrupted);
}
