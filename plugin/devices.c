/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The I/Os of a job by device: see devices.h.
 */
#include <errno.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "devices.h"
#include "histogram_json.h"

/* Of a part at first; doubled every time that the parts are not enough. */
#define FIRST_WIDTH_NS	1000000

/* ---- which devices ------------------------------------------------------ */

/* Of a file that is not there yet, that of the folder it will be in. */
static bool find_device(const char *path, dev_t *number, bool *is_character)
{
	struct stat status;
	char *folder;
	int ret = stat(path, &status);

	if (ret) {
		folder = strdup(path);
		ret = folder ? stat(dirname(folder), &status) : -1;
		free(folder);
	}
	if (ret)
		return false;
	*is_character = S_ISCHR(status.st_mode);
	*number = *is_character || S_ISBLK(status.st_mode) ? status.st_rdev :
							     status.st_dev;
	return true;
}

/* The place of a file's device, which is added where it is new. */
static unsigned place_of(struct tw_devices *devices, const char *path)
{
	bool is_character;
	dev_t number;
	unsigned i;

	if (!path || !find_device(path, &number, &is_character))
		return TW_DEVICES_MOST;
	for (i = 0; i < devices->count; i++)
		if (devices->list[i].number == number &&
		    devices->list[i].is_character == is_character)
			return i;
	if (i == TW_DEVICES_MOST) {
		devices->other_files++;
		return i;
	}
	devices->count++;
	devices->list[i].number = number;
	devices->list[i].is_character = is_character;
	return i;
}

/* 0; -ENOMEM. */
static int find_devices(const struct thread_data *td, struct tw_devices *devices)
{
	unsigned i;

	devices->of_file = malloc(td->files_index);
	if (!devices->of_file)
		return -ENOMEM;
	devices->files = td->files_index;
	for (i = 0; i < devices->files; i++)
		devices->of_file[i] = (uint8_t) place_of(devices,
						td->files[i]->file_name);
	return 0;
}

/* ---- a job's life ------------------------------------------------------- */

/* Memory of a histogram is taken when it is written. 0; -ENOMEM. */
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
	if (td->files_index < 2)
		return 0;
	found = calloc(1, sizeof(*found) +
		       TW_DEVICES_MOST * sizeof(*found->list));
	if (!found)
		return -ENOMEM;
	ret = find_devices(td, found);
	if (!ret && found->count > 1)
		ret = init_histograms(found, min(o->digits, TW_DEVICES_DIGITS));
	if (ret || found->count < 2) {
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
	free(devices->of_file);
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

/* Open the part that @at_ticks lies in. */
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

	if (place == TW_DEVICES_MOST)
		return;
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

/* A character device may have the number of a block device. */
static json_t *name_of(const struct tw_device *device)
{
	return json_sprintf("%s%u:%u", device->is_character ? "char " : "",
			    major(device->number), minor(device->number));
}

/* That of the device in the report's list, which has its facts; or a new one, as of a
 * file that facts.c left out. NULL without memory. */
static json_t *object_of(json_t *list, const struct tw_device *device)
{
	json_t *name = name_of(device), *object = NULL;
	size_t i;

	json_array_foreach(list, i, object)
		if (json_equal(json_object_get(object, "device"), name))
			break;
	if (i == json_array_size(list)) {
		object = json_pack("{sO}", "device", name);
		if (json_array_append_new(list, object))
			object = NULL;
	}
	json_decref(name);
	return object;
}

/* 0; -ENOMEM. */
static int add_device(json_t *list, const struct tw_devices *devices,
		      const struct tw_device *device)
{
	json_t *object = object_of(list, device);

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
	json_t *list = json_object_get(report, "devices");
	unsigned i;
	int error = 0;

	if (!devices)
		return 0;
	if (!list) {
		list = json_array();
		error = json_object_set_new(report, "devices", list);
	}
	for (i = 0; i < devices->count && !error; i++)
		error = add_device(list, devices, &devices->list[i]);
	if (devices->other_files && !error)
		error = json_object_set_new(report, "devices_other_files",
			json_integer(devices->other_files));
	return error ? -ENOMEM : 0;
}
