/* SPDX-License-Identifier: MIT */
/*
 * Sums of stages by lat: see by_lat.h.
 */
#include "command/reports/by_lat.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "latency/histogram_json.h"
#include "report/want.h"

#define WHERE	"stages_by_lat.DIRECTION[]."

/* ---- reading ------------------------------------------------------------- */

static void read_slice(struct tw_report_slice *slice, const json_t *json,
		       struct tw_report_problem *problem)
{
	const json_t *stages = tw_want_object(json, WHERE, "stages", problem);
	uint64_t from_ns = tw_want_u64(json, WHERE, "from_ns", problem);
	uint64_t to_ns = tw_want_u64(json, WHERE, "to_ns", problem);
	uint64_t sum_ns = 0, max_ns;
	int over = 0;

	slice->at = tw_lat_slice(from_ns);
	slice->ios = tw_want_u64(json, WHERE, "ios", problem);
	if (slice->ios == 0)
		tw_report_refuse(problem, WHERE "ios is 0");
	if (from_ns != tw_lat_slice_low(slice->at) ||
	    to_ns != tw_lat_slice_high(slice->at))
		tw_report_refuse(problem, WHERE "from_ns and to_ns are not an eighth of "
				 "an octave");
	for (int i = 0; i < TW_REPORT_STAGES; i++) {
		const char *key = tw_report_times[i].key;

		if (json_object_get(stages, key))
			slice->sum_ns[i] = tw_want_u64(stages, WHERE "stages.", key,
						       problem);
		over |= __builtin_add_overflow(sum_ns, slice->sum_ns[i], &sum_ns);
	}
	if (__builtin_mul_overflow(slice->ios, to_ns, &max_ns))
		max_ns = UINT64_MAX;
	if (over || sum_ns > max_ns)
		tw_report_refuse(problem, WHERE "stages add up to more than lat");
}

static int read_direction(struct tw_report_by_lat *by_lat, const json_t *array,
			  uint64_t ios, struct tw_report_problem *problem)
{
	size_t count = json_array_size(array);
	uint64_t sum = 0;
	int over = 0;

	if (count == 0)
		return 0;
	by_lat->slices = calloc(count, sizeof(*by_lat->slices));
	if (!by_lat->slices)
		return -ENOMEM;
	by_lat->count = count;
	for (size_t i = 0; i < count; i++) {
		struct tw_report_slice *slice = &by_lat->slices[i];

		read_slice(slice, json_array_get(array, i), problem);
		if (i && slice->at <= slice[-1].at)
			tw_report_refuse(problem, WHERE "from_ns is not ascending");
		over |= __builtin_add_overflow(sum, slice->ios, &sum);
	}
	if (over || sum > ios)
		tw_report_refuse(problem, "stages_by_lat counts more than ios");
	return 0;
}

int tw_report_read_by_lat(struct tw_report *report, struct tw_report_problem *problem)
{
	const json_t *object;

	if (!json_object_get(report->root, "stages_by_lat"))
		return 0;
	object = tw_want_object(report->root, "", "stages_by_lat", problem);
	for (int i = 0; i < TW_REPORT_DIRECTIONS; i++) {
		const char *key = tw_report_directions[i];

		if (!json_object_get(object, key))
			continue;
		if (read_direction(&report->tally.by_lat[i],
				   tw_want_array(object, "stages_by_lat.", key,
						 problem),
				   report->tally.counts[TW_REPORT_IOS][i], problem))
			return -ENOMEM;
	}
	return 0;
}

/* ---- merging ------------------------------------------------------------- */

/* Add a slice. Return: 0; -1: more than 64 bits. */
static int add_slice(struct tw_report_slice *into, const struct tw_report_slice *from)
{
	int over = __builtin_add_overflow(into->ios, from->ios, &into->ios);

	for (int i = 0; i < TW_REPORT_STAGES; i++)
		over |= __builtin_add_overflow(into->sum_ns[i], from->sum_ns[i],
					       &into->sum_ns[i]);
	return over ? -1 : 0;
}

int tw_report_merge_by_lat(struct tw_report_by_lat *into,
			   const struct tw_report_by_lat *from)
{
	struct tw_report_by_lat both = { .slices = NULL };
	size_t a = 0, b = 0;

	if (from->count == 0)
		return 0;
	both.slices = calloc(into->count + from->count, sizeof(*both.slices));
	if (!both.slices)
		return -ENOMEM;
	while (a < into->count || b < from->count) {
		struct tw_report_slice *slice = &both.slices[both.count++];

		if (b == from->count || (a < into->count && into->slices[a].at <=
							    from->slices[b].at))
			*slice = into->slices[a++];
		else
			*slice = from->slices[b++];
		if (b == from->count || from->slices[b].at != slice->at)
			continue;
		if (add_slice(slice, &from->slices[b++])) {
			free(both.slices);
			return -EOVERFLOW;
		}
	}
	free(into->slices);
	*into = both;
	return 0;
}

void tw_report_free_by_lat(struct tw_report_by_lat *by_lat)
{
	free(by_lat->slices);
}

/* ---- JSON ---------------------------------------------------------------- */

/* Return NULL without memory, as the next function does. */
static json_t *slice_to_json(const struct tw_report_slice *slice)
{
	json_t *stages = json_object();

	for (int i = 0; i < TW_REPORT_STAGES; i++)
		if (slice->sum_ns[i] &&
		    json_object_set_new(stages, tw_report_times[i].key,
					tw_json_of_u64(slice->sum_ns[i]))) {
			json_decref(stages);
			return NULL;
		}
	return json_pack("{s:o, s:o, s:o, s:o}",
			 "from_ns", tw_json_of_u64(tw_lat_slice_low(slice->at)),
			 "to_ns", tw_json_of_u64(tw_lat_slice_high(slice->at)),
			 "ios", tw_json_of_u64(slice->ios), "stages", stages);
}

static json_t *direction_to_json(const struct tw_report_by_lat *by_lat)
{
	json_t *array = json_array();

	for (size_t i = 0; i < by_lat->count; i++)
		if (json_array_append_new(array, slice_to_json(&by_lat->slices[i]))) {
			json_decref(array);
			return NULL;
		}
	return array;
}

int tw_report_has_by_lat(const struct tw_report_tally *tally)
{
	for (int i = 0; i < TW_REPORT_DIRECTIONS; i++)
		if (tally->by_lat[i].count)
			return 1;
	return 0;
}

json_t *tw_report_by_lat_to_json(const struct tw_report_tally *tally)
{
	json_t *object = json_object();

	for (int i = 0; i < TW_REPORT_DIRECTIONS; i++)
		if (tally->by_lat[i].count &&
		    json_object_set_new(object, tw_report_directions[i],
					direction_to_json(&tally->by_lat[i]))) {
			json_decref(object);
			return NULL;
		}
	return object;
}

/* ---- at a percentile ----------------------------------------------------- */

const struct tw_report_slice *tw_report_slice_at(const struct tw_report_tally *tally,
						 int direction, double percent)
{
	const struct tw_histogram *lat = &tally->times[TW_REPORT_LAT][direction];
	const struct tw_report_by_lat *by_lat = &tally->by_lat[direction];
	unsigned at = tw_lat_slice(tw_histogram_percentile(lat, percent));
	const struct tw_report_slice *found = NULL;
	uint64_t ios = 0;

	for (size_t i = 0; i < by_lat->count; i++) {
		ios += by_lat->slices[i].ios;
		if (by_lat->slices[i].at == at)
			found = &by_lat->slices[i];
	}
	return ios == lat->count ? found : NULL;
}

int tw_report_slices_from(struct tw_report_slice *sum, const struct tw_report_tally *tally,
			  int direction, double percent)
{
	const struct tw_report_by_lat *by_lat = &tally->by_lat[direction];
	const struct tw_report_slice *first = tw_report_slice_at(tally, direction,
								 percent);

	if (!first)
		return 0;
	*sum = *first;
	for (const struct tw_report_slice *slice = first + 1;
	     slice < by_lat->slices + by_lat->count; slice++)
		if (add_slice(sum, slice))
			return 0;
	return 1;
}
