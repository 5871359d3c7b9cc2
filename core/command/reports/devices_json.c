/* SPDX-License-Identifier: MIT */
/*
 * Adds devices to the JSON of merged reports.
 */
#include <errno.h>

#include "command/reports/devices.h"
#include "latency/histogram_json.h"

/* Return the device's own keys as read, without its I/Os. */
static json_t *facts_of(const struct tw_report_device *device)
{
	json_t *object = json_copy((json_t *)device->json);

	json_object_del(object, "ios");
	return object;
}

static json_t *ios_of(const struct tw_report_device *device)
{
	json_t *object = json_object();
	int error = 0;

	for (int i = 0; i < TW_REPORT_DIRECTIONS; i++)
		error |= json_object_set_new(object, tw_report_directions[i],
					     tw_json_of_u64(device->lat[i].count));
	if (!error)
		return object;
	json_decref(object);
	return NULL;
}

static json_t *histograms_of(const struct tw_histogram *by_direction)
{
	json_t *object = json_object();
	int error = 0;

	for (int i = 0; i < TW_REPORT_DIRECTIONS; i++)
		if (by_direction[i].count)
			error |= json_object_set_new(object, tw_report_directions[i],
				tw_histogram_to_json(&by_direction[i]));
	if (!error)
		return object;
	json_decref(object);
	return NULL;
}

static json_t *device_to_json(const struct tw_report_device *device)
{
	json_t *object = facts_of(device);

	if (!(json_object_set_new(object, "host", json_string(device->host)) |
	      json_object_set_new(object, "jobs", tw_json_of_u64(device->jobs)) |
	      json_object_set_new(object, "ios", ios_of(device)) |
	      json_object_set_new(object, "lat", histograms_of(device->lat)) |
	      json_object_set_new(object, "device_time",
				  histograms_of(device->in_device))))
		return object;
	json_decref(object);
	return NULL;
}

/* Return the numbers and hosts of some devices. */
static json_t *names_of(const struct tw_report_device *const *list, size_t count)
{
	json_t *array = json_array();
	int error = 0;

	for (size_t i = 0; i < count; i++)
		error |= json_array_append_new(array, json_pack("{s:s, s:s}",
			"device", list[i]->number, "host", list[i]->host));
	if (!error)
		return array;
	json_decref(array);
	return NULL;
}

static json_t *ranking_to_json(const struct tw_report_ranking *ranking)
{
	char text[TW_REPORT_SENTENCE];
	json_t *slow = ranking->unjudged[0] ? json_null() :
					   names_of(ranking->by_parts, ranking->slow);

	tw_report_say_slow_devices(text, sizeof(text), ranking);
	return json_pack("{s:f, s:o, s:o, s:s}", "percent", ranking->percent,
			 "order", names_of(ranking->list, ranking->count),
			 "slow", slow, "text", text);
}

/* Return the rankings of each direction in which several devices have I/Os. */
static json_t *rankings_to_json(const struct tw_report_devices *devices,
				const struct tw_report_group *groups, size_t count)
{
	json_t *object = json_object();
	struct tw_report_ranking ranking;
	int error = 0;

	for (int i = 0; i < TW_REPORT_DIRECTIONS && !error; i++) {
		error = tw_report_rank_devices(&ranking, devices, i, groups, count);
		if (error)
			break;
		if (ranking.count > 1)
			error = json_object_set_new(object, tw_report_directions[i],
						    ranking_to_json(&ranking));
		tw_report_ranking_free(&ranking);
	}
	if (!error)
		return object;
	json_decref(object);
	return NULL;
}

static json_t *list_to_json(const struct tw_report_devices *devices)
{
	json_t *array = json_array();
	int error = 0;

	for (size_t i = 0; i < devices->count; i++)
		error |= json_array_append_new(array, device_to_json(&devices->list[i]));
	if (!error)
		return array;
	json_decref(array);
	return NULL;
}

int tw_report_devices_to_json(json_t *object, const struct tw_report_group *groups,
			      size_t count)
{
	struct tw_report_devices devices;
	int error = tw_report_merge_devices(&devices, groups, count);

	/* Leave out sums that don't fit. */
	if (error)
		return error == -EOVERFLOW ? 0 : error;
	if (devices.count > 1)
		error = json_object_set_new(object, "devices", list_to_json(&devices)) |
			json_object_set_new(object, "slow_devices",
				rankings_to_json(&devices, groups, count));
	if (devices.other_files)
		error |= json_object_set_new(object, "devices_other_files",
					     tw_json_of_u64(devices.other_files));
	if (devices.other_jobs)
		error |= json_object_set_new(object, "devices_other_jobs",
					     tw_json_of_u64(devices.other_jobs));
	tw_report_devices_free(&devices);
	return error ? -ENOMEM : 0;
}
