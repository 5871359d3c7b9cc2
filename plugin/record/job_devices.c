/* SPDX-License-Identifier: GPL-2.0 */
/* The I/Os of a job by device. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "job_devices.h"
#include "latency/histogram.h"
#include "report/facts.h"

#define DIGITS		2U
/* Windows over time. At the end of a long run, more than half of them are in use. */
#define WINDOWS		32

/* Make the histograms of a device. Their memory is taken when it is written. Return 0 or
 * -ENOMEM. */
static int init_device(struct tw_report_device *device, unsigned digits)
{
	unsigned direction;

	for (direction = 0; direction < TW_DIRECTIONS; direction++)
		if (tw_histogram_init(&device->lat[direction], digits) ||
		    tw_histogram_init(&device->in_device[direction], digits))
			return -ENOMEM;
	return tw_windows_init(&device->over_time, WINDOWS);
}

int tw_devices_start(struct thread_data *td, const struct tw_files *files,
		     struct tw_devices **devices)
{
	const struct tw_options *o = td->eo;
	struct tw_devices *found;
	int ret = 0;

	*devices = NULL;
	if (!files->device_count || (files->device_count == 1 && !files->other_files))
		return 0;
	found = calloc(1, sizeof(*found) + files->device_count * sizeof(*found->list));
	if (!found)
		return -ENOMEM;
	found->files = files;
	while (!ret && found->count < files->device_count)
		ret = init_device(&found->list[found->count++], min(o->digits, DIGITS));
	if (ret)
		tw_devices_free(found);
	else
		*devices = found;
	return ret;
}

void tw_devices_free(struct tw_devices *devices)
{
	unsigned i;

	for (i = 0; devices && i < devices->count; i++)
		tw_report_free_device(&devices->list[i]);
	free(devices);
}

void tw_devices_forget(struct tw_devices *devices)
{
	unsigned i, direction;

	for (i = 0; devices && i < devices->count; i++) {
		struct tw_report_device *device = &devices->list[i];

		memset(device->ios, 0, sizeof(device->ios));
		for (direction = 0; direction < TW_DIRECTIONS; direction++) {
			tw_histogram_clear_used(&device->lat[direction]);
			tw_histogram_clear_used(&device->in_device[direction]);
		}
		tw_windows_reset(&device->over_time);
	}
	if (devices)
		devices->other_ios = 0;
}

void tw_devices_add(struct tw_devices *devices, unsigned place,
		    enum tw_direction direction, uint64_t at_ns,
		    const struct tw_io_times *times, uint64_t weight)
{
	struct tw_report_device *device;

	if (place == TW_FILES_DEVICES) {
		devices->other_ios++;
		return;
	}
	device = &devices->list[place];
	device->ios[direction]++;
	tw_histogram_add(&device->lat[direction], times->ns[TW_LAT]);
	tw_windows_add(&device->over_time, at_ns, direction, times->ns[TW_LAT]);
	if (tw_io_has(times, TW_DEVICE))
		tw__histogram_add_times(&device->in_device[direction],
					times->ns[TW_DEVICE], weight);
}
