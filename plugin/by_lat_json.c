/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sums of stages by lat as JSON: see by_lat_json.h.
 */
#include "by_lat_json.h"

#include "engine.h"
#include "histogram_json.h"
#include "latency/histogram.h"

/* Return the number of I/Os in a slice. @bin is the first bin that may belong to the
 * slice, and is set to the first bin after it. */
static uint64_t ios_of(const struct tw_histogram *lat, unsigned slice,
		       uint32_t *bin)
{
	const uint32_t last = tw__histogram_bin(lat, lat->max_ns);
	uint64_t ios = 0;

	while (*bin <= last && tw_lat_slice(tw_histogram_bin_high(lat, *bin)) <=
			       slice)
		ios += lat->bins[(*bin)++];
	return ios;
}

static json_t *sums_to_json(const uint64_t sum_ns[TW_STAGES])
{
	json_t *object = json_object();
	unsigned stage;

	for (stage = 0; stage < TW_STAGES; stage++)
		if (sum_ns[stage] &&
		    json_object_set_new(object, tw_stage_names[stage],
					tw_json_of_u64(sum_ns[stage]))) {
			json_decref(object);
			return NULL;
		}
	return object;
}

static json_t *slices_to_json(const struct tw_by_lat *by_lat,
			      const struct tw_histogram *lat)
{
	json_t *array = json_array();
	unsigned slice, last = tw_lat_slice(lat->max_ns);
	uint32_t bin = 0;

	for (slice = 0; slice <= last; slice++) {
		const uint64_t ios = ios_of(lat, slice, &bin);

		if (!ios)
			continue;
		if (json_array_append_new(array, json_pack("{so, so, so, so}",
			"from_ns", tw_json_of_u64(tw_lat_slice_low(slice)),
			"to_ns", tw_json_of_u64(tw_lat_slice_high(slice)),
			"ios", tw_json_of_u64(ios),
			"stages", sums_to_json(by_lat->sum_ns[slice])))) {
			json_decref(array);
			return NULL;
		}
	}
	return array;
}

json_t *tw_by_lat_to_json(const struct tw_job *job)
{
	json_t *object = json_object();
	unsigned direction;

	for (direction = 0; direction < TW_DIRECTIONS; direction++)
		if (job->lat[direction].count &&
		    json_object_set_new(object, tw_direction_names[direction],
					slices_to_json(&job->by_lat[direction],
						       &job->lat[direction]))) {
			json_decref(object);
			return NULL;
		}
	return object;
}
