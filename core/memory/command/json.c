/* SPDX-License-Identifier: MIT */
/*
 * Makes one JSON object of the results of tickwise memlat.
 */
#include "memory/command/output.h"

static json_t *number_or_null(double value)
{
	return value > 0 ? json_real(value) : json_null();
}

static json_t *size_or_null(size_t bytes)
{
	return bytes ? json_integer((json_int_t)bytes) : json_null();
}

static double in_cycles(double ns, double cycle_ns)
{
	return cycle_ns > 0 ? ns / cycle_ns : 0;
}

static const char *agreement_name(enum tw_level_agreement agreement)
{
	static const char *const names[] = {
		"agrees", "smaller", "larger", "not_found", "not_said",
	};

	return names[agreement];
}

static json_t *json_level(const struct tw_memlat *memlat, unsigned i)
{
	const struct tw_level *level = &memlat->levels[i];
	const struct tw_cache *cache = tw_memlat_level_cache(memlat, i);

	return json_pack("{ss, so, so, sf, so, so, sf, sf, sf, si, sf, so, ss}",
		"name", tw_memlat_level_name(memlat, i),
		"size_bytes", size_or_null(level->size_bytes),
		"next_size_bytes", size_or_null(level->next_bytes),
		"latency_ns", level->latency_ns,
		"latency_cycles", number_or_null(in_cycles(level->latency_ns,
							   level->cycle_ns)),
		"cycles", number_or_null(level->cycles),
		"low_ns", level->low_ns,
		"high_ns", level->high_ns,
		"error_ns", level->error_ns,
		"points", (int)level->points,
		"latency_ticks", level->latency_ns * memlat->rate.hz / 1e9,
		"sysfs_bytes", size_or_null(cache ? cache->bytes : 0),
		"sysfs", agreement_name(level->size_bytes || !cache ?
					tw_level_compare(level, cache) :
					TW_LEVEL_NOT_FOUND));
}

static json_t *json_levels(const struct tw_memlat *memlat)
{
	json_t *array = json_array();

	for (unsigned i = 0; i < memlat->level_count; i++)
		json_array_append_new(array, json_level(memlat, i));
	return array;
}

static json_t *json_caches(const struct tw_memlat *memlat)
{
	json_t *array = json_array();

	for (unsigned i = 0; i < memlat->cache_count; i++) {
		const struct tw_cache *cache = &memlat->caches[i];

		json_array_append_new(array, json_pack("{si, sI, so, so}",
			"level", (int)cache->level,
			"size_bytes", (json_int_t)cache->bytes,
			"line_bytes", size_or_null(cache->line_bytes),
			"shared_by_cpus", size_or_null(cache->shared_by)));
	}
	return array;
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

	if (!json || !point->batches)
		return json;
	json_object_set_new(json, "min_ns", json_real(point->min_ns));
	json_object_set_new(json, "median_ns", json_real(point->median_ns));
	json_object_set_new(json, "p90_ns", json_real(point->p90_ns));
	json_object_set_new(json, "median_low_ns", json_real(point->low_ns));
	json_object_set_new(json, "median_high_ns", json_real(point->high_ns));
	json_object_set_new(json, "min_cycles", number_or_null(
			    in_cycles(point->min_ns, point->cycle_ns)));
	json_object_set_new(json, "core_hz", number_or_null(
			    point->cycle_ns > 0 ? 1e9 / point->cycle_ns : 0));
	return json;
}

static json_t *json_curve(const struct tw_curve *curve)
{
	json_t *points = json_array();

	for (unsigned i = 0; i < curve->count; i++)
		json_array_append_new(points, json_point(&curve->points[i]));
	return json_pack("{ss, ss, sI, sf, so, sI, sI, si, sI, so}",
		"kind", tw_cycle_names[curve->shape.kind],
		"pages", tw_pages_names[curve->pages],
		"page_bytes", (json_int_t)curve->page_bytes,
		"huge_share", curve->huge_share,
		"node", curve->node == TW_ANY_NODE ? json_null() :
						     json_integer(curve->node),
		"stride_bytes", (json_int_t)curve->shape.stride_bytes,
		"window_bytes", (json_int_t)curve->shape.window_bytes,
		"passes", (int)curve->shape.passes,
		"seed", (json_int_t)curve->shape.seed,
		"points", points);
}

/* Return the curve that levels are found in. Its sizes up to
 * "visited_up_to_bytes" are the fastest of several visits in random
 * order. */
static json_t *json_levels_from(const struct tw_memlat *memlat)
{
	json_t *json = memlat->levels_of ? json_curve(memlat->levels_of) :
					   json_null();

	if (!memlat->levels_of)
		return json;
	json_object_set_new(json, "visits",
			    json_integer((json_int_t)memlat->visits));
	json_object_set_new(json, "visited_up_to_bytes",
			    size_or_null(memlat->visited_up_to_bytes));
	return json;
}

static json_t *json_range(const struct tw_tlb_range *range)
{
	return json_pack("{sf, sf, sf}", "ns", range->ns, "low_ns", range->low_ns,
			 "high_ns", range->high_ns);
}

static json_t *json_costs(const struct tw_memlat *memlat)
{
	json_t *array = json_array();

	for (unsigned i = 0; i < memlat->cost_count; i++) {
		const struct tw_tlb_cost *cost = &memlat->costs[i];

		json_array_append_new(array, json_pack(
			"{sI, si, si, sf, so, so, so, so}",
			"size_bytes", (json_int_t)cost->bytes,
			"places", (int)cost->places,
			"places_without", (int)cost->places_without,
			"random_ns", cost->random_ns,
			"small", json_range(&cost->small),
			"huge", json_range(&cost->huge),
			"translation", json_range(&cost->translation),
			"share", number_or_null(tw_tlb_share(cost))));
	}
	return array;
}

static json_t *json_nodes(const struct tw_memlat *memlat)
{
	json_t *array = json_array();

	for (unsigned i = 0; i < memlat->node_count; i++)
		json_array_append_new(array, json_pack("{si, so}",
			"node", (int)memlat->nodes[i].node,
			"point", json_point(&memlat->nodes[i].point)));
	return array;
}

static json_t *json_curves(const struct tw_memlat *memlat)
{
	json_t *array = json_array();

	for (unsigned i = 0; i < memlat->curve_count; i++)
		json_array_append_new(array, json_curve(&memlat->curves[i]));
	return array;
}

/* Return the kinds of pages that the kernel did not give, and why. */
static json_t *json_skipped(const struct tw_memlat *memlat)
{
	json_t *object = json_object();

	for (int i = 0; i < TW_PAGES_KINDS; i++)
		if (memlat->skipped[i])
			json_object_set_new(object, tw_pages_names[i],
					    json_string(memlat->skipped[i]));
	return object;
}

json_t *tw_memlat_json(const struct tw_memlat *memlat)
{
	return json_pack(
		"{ss, si, si, sf, sf, so, so, so, so, so, ss?, so, so, sI, "
		"sb}",
		"schema", "tickwise-memlat",
		"version", 1,
		"cpu", (int)memlat->cpu,
		"counter_hz", memlat->rate.hz,
		"counter_uncertainty_ppb", memlat->rate.uncertainty_ppb,
		"caches", json_caches(memlat),
		"levels", json_levels(memlat),
		"levels_from", json_levels_from(memlat),
		"curves", json_curves(memlat),
		"translation", json_costs(memlat),
		"no_translation", memlat->no_costs,
		"nodes", json_nodes(memlat),
		"skipped_pages", json_skipped(memlat),
		"took_ns", (json_int_t)memlat->took_ns,
		"interrupted", memlat->was_interrupted);
}
