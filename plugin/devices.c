/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The I/Os of a job by device: see devices.h.
 */
#include <errno.h>
#include <stdlib.h>

#include "devices.h"
#include "histogram_json.h"

/* Width of a part at first. It doubles whenever all parts are in use. */
#define FIRST_WIDTH_NS	1000000

/* ---- a job's life ------------------------------------------------------- */

/* Make the histograms of each device. Their memory is taken when it is written. Return
 * 0 or -ENOMEM. */
static int init_histograms(struct tw_devices *devices, unsigned digits)
{
	unsigned i, direction;

	for (i = 0; i < devices->count; i++)
		for (direction = 0; direction < TW_DIRECTIONS; direction++)
			if (tw_histogram_init(&devices->list[i].lat[direction],
					      digits) ||
			    tw_histogram_init(&devices->list[i].device_time[direction],
					      digits))
				return -ENOMEM;
	return 0;
}

static void start_parts(const struct tw_job *job, struct tw_devices *devices)
{
	devices->width_ns = FIRST_WIDTH_NS;
	devices->width_ticks = (uint64_t) (FIRST_WIDTH_NS *
					   tw_job_ticks_per_ns(job));
	devices->edge_ticks = job->start.ticks + devices->width_ticks;
}

int tw_devices_start(struct thread_data *td, const struct tw_job *job,
		     struct tw_devices **devices)
{
	const struct tw_options *o = td->eo;
	struct tw_devices *found;
	int ret;

	*devices = NULL;
	if (job->where->device_count < 2)
		return 0;
	found = calloc(1, sizeof(*found) +
		       job->where->device_count * sizeof(*found->list));
	if (!found)
		return -ENOMEM;
	found->files = job->where;
	found->count = job->where->device_count;
	ret = init_histograms(found, min(o->digits, TW_DEVICES_DIGITS));
	if (ret) {
		tw_devices_free(found);
		return ret;
	}
	start_parts(job, found);
	*devices = found;
	return 0;
}

void tw_devices_free(struct tw_devices *devices)
{
	unsigned i, direction;

	if (!devices)
		return;
	for (i = 0; i < devices->count; i++)
		for (direction = 0; direction < TW_DIRECTIONS; direction++) {
			tw_histogram_free(&devices->list[i].lat[direction]);
			tw_histogram_free(&devices->list[i].device_time[direction]);
		}
	free(devices);
}

/* ---- what is recorded --------------------------------------------------- */

static void merge_pairs(struct tw_device *device)
{
	unsigned i, direction;

	for (i = 0; i < TW_DEVICE_PARTS; i++)
		for (direction = 0; direction < TW_DIRECTIONS; direction++) {
			const struct tw_device_part part =
				device->parts[i][direction];
			struct tw_device_part *into =
				&device->parts[i / 2][direction];

			device->parts[i][direction] =
				(struct tw_device_part) { 0 };
			into->count += part.count;
			into->sum_ns += part.sum_ns;
		}
}

/* Open the part that contains @at_ticks. */
static void advance(struct tw_devices *devices, uint64_t at_ticks)
{
	unsigned i;

	while ((int64_t) (at_ticks - devices->edge_ticks) >= 0) {
		if (++devices->part == TW_DEVICE_PARTS) {
			for (i = 0; i < devices->count; i++)
				merge_pairs(&devices->list[i]);
			devices->part /= 2;
			devices->width_ns *= 2;
			devices->width_ticks *= 2;
		}
		devices->edge_ticks += devices->width_ticks;
	}
}

void tw_devices_add(struct tw_devices *devices, unsigned place,
		    enum tw_direction direction, uint64_t returned_ticks,
		    const struct tw_io_times *times)
{
	struct tw_device_part *part;
	struct tw_device *device;

	if (place == TW_FILES_DEVICES) {
		devices->other_ios++;
		return;
	}
	device = &devices->list[place];
	advance(devices, returned_ticks);
	part = &device->parts[devices->part][direction];
	part->count++;
	part->sum_ns += times->lat_ns;
	tw_histogram_add(&device->lat[direction], times->lat_ns);
	if (times->stages & TW_STAGE_BIT(TW_DEVICE))
		tw_histogram_add(&device->device_time[direction],
				 times->stage_ns[TW_DEVICE]);
}

/* ---- the report --------------------------------------------------------- */

static json_t *part_to_json(const struct tw_devices *devices,
			    const struct tw_device *device, unsigned i)
{
	json_t *object = json_pack("{so, so}",
		"from_ns", tw_json_of_u64(i * devices->width_ns),
		"over_ns", tw_json_of_u64(devices->width_ns));
	unsigned direction;

	for (direction = 0; direction < TW_DIRECTIONS; direction++) {
		const struct tw_device_part *part = &device->parts[i][direction];

		if (part->count)
			json_object_set_new(object, tw_direction_names[direction],
				json_pack("{so, so}",
					  "count", tw_json_of_u64(part->count),
					  "sum_ns", tw_json_of_u64(part->sum_ns)));
	}
	return object;
}

static json_t *parts_to_json(const struct tw_devices *devices,
			     const struct tw_device *device)
{
	json_t *array = json_array();
	unsigned i;

	for (i = 0; i <= devices->part; i++)
		json_array_append_new(array, part_to_json(devices, device, i));
	return array;
}

static json_t *ios_to_json(const struct tw_device *device)
{
	uint64_t counts[TW_DIRECTIONS];
	unsigned direction;

	for (direction = 0; direction < TW_DIRECTIONS; direction++)
		counts[direction] = device->lat[direction].count;
	return tw_counts_to_json(counts);
}

/* Add what was recorded of @device to its facts. Return 0 or -ENOMEM. */
static int add_device(json_t *object, const struct tw_devices *devices,
		      const struct tw_device *device)
{
	if (json_object_set_new(object, "ios", ios_to_json(device)) ||
	    json_object_set_new(object, "lat",
		tw_histograms_to_json(device->lat, TW_DIRECTIONS)) ||
	    json_object_set_new(object, "device_time",
		tw_histograms_to_json(device->device_time, TW_DIRECTIONS)) ||
	    json_object_set_new(object, "over_time",
		parts_to_json(devices, device)))
		return -ENOMEM;
	return 0;
}

int tw_devices_add_to_report(const struct tw_devices *devices, json_t *report)
{
	const json_t *list = json_object_get(report, "devices");
	unsigned i;
	int error = 0;

	/* The report lacks "devices" if there was no memory for the facts. */
	if (!devices || !list)
		return 0;
	for (i = 0; i < devices->count && !error; i++)
		error = add_device(json_array_get(list, i), devices,
				   &devices->list[i]);
	if (devices->files->other_files)
		error |= json_object_set_new(report, "devices_other_files",
			tw_json_of_u64(devices->files->other_files));
	if (devices->other_ios)
		error |= json_object_set_new(report, "devices_other_ios",
			tw_json_of_u64(devices->other_ios));
	return error ? -ENOMEM : 0;
}
