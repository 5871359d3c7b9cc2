/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The I/Os of a job by device: see devices.h.
 */
#include <errno.h>
#include <stdlib.h>

#include "devices.h"
#include "report/parts.h"

/* ---- a job's life ------------------------------------------------------- */

/* Make the histograms of a device. Their memory is taken when it is written. Return 0 or
 * -ENOMEM. */
static int init_device(struct tw_report_device *device, unsigned digits)
{
	unsigned direction;

	for (direction = 0; direction < TW_DIRECTIONS; direction++)
		if (tw_histogram_init(&device->lat[direction], digits) ||
		    tw_histogram_init(&device->in_device[direction], digits))
			return -ENOMEM;
	return tw_windows_init(&device->over_time, TW_DEVICE_WINDOWS);
}

int tw_devices_start(struct thread_data *td, const struct tw_job *job,
		     struct tw_devices **devices)
{
	const unsigned count = job->where->device_count;
	const struct tw_options *o = td->eo;
	struct tw_devices *found;

	*devices = NULL;
	if (count < 2 && !(count && job->where->other_files))
		return 0;
	found = calloc(1, sizeof(*found) + count * sizeof(*found->list));
	if (!found)
		return -ENOMEM;
	found->files = job->where;
	for (; found->count < count; found->count++)
		if (init_device(&found->list[found->count],
				min(o->digits, TW_DEVICES_DIGITS))) {
			found->count++;
			tw_devices_free(found);
			return -ENOMEM;
		}
	*devices = found;
	return 0;
}

void tw_devices_free(struct tw_devices *devices)
{
	unsigned i;

	if (!devices)
		return;
	for (i = 0; i < devices->count; i++)
		tw_report_free_device(&devices->list[i]);
	free(devices);
}

/* ---- what is recorded --------------------------------------------------- */

void tw_devices_add(struct tw_devices *devices, unsigned place,
		    enum tw_direction direction, uint64_t at_ns,
		    const struct tw_io_times *times)
{
	struct tw_report_device *device;

	if (place == TW_FILES_DEVICES) {
		devices->other_ios++;
		return;
	}
	device = &devices->list[place];
	device->ios[direction]++;
	tw_histogram_add(&device->lat[direction], times->lat_ns);
	tw_windows_add(&device->over_time, at_ns, direction, times->lat_ns);
	if (times->stages & TW_STAGE_BIT(TW_DEVICE))
		tw_histogram_add(&device->in_device[direction],
				 times->stage_ns[TW_DEVICE]);
}

/* ---- the report --------------------------------------------------------- */

static void put_others(const struct tw_devices *devices, const struct tw_files *files,
		       struct tw_tally *tally)
{
	tw_row_put(&tally->has, TW_ROW_other_files);
	tw_row_put(&tally->has, TW_ROW_other_ios);
	tally->scalars.other_files = files->other_files;
	tally->scalars.other_ios = devices ? devices->other_ios : 0;
}

int tw_devices_put(struct tw_devices *devices, const struct tw_files *files,
		   json_t *facts, struct tw_report *report)
{
	unsigned i;

	put_others(devices, files, &report->tally);
	if (!files->device_count)
		return 0;
	report->devices = calloc(files->device_count, sizeof(*report->devices));
	if (!report->devices)
		return -ENOMEM;
	report->device_count = files->device_count;
	for (i = 0; i < files->device_count; i++) {
		struct tw_report_device *device = &report->devices[i];

		if (devices) {
			*device = devices->list[i];
			device->has_ios = 1;
			tw_windows_close(&device->over_time);
		}
		tw_report_take_facts(device, json_incref(json_array_get(facts, i)));
		device->has_all = !devices && files->device_count == 1 &&
				  !files->other_files;
		device->jobs = device->has_ios || device->has_all;
	}
	if (devices)
		devices->count = 0;
	tw_report_sort_devices(report);
	return 0;
}
