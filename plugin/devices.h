/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The I/Os of a job by device, to find a slow drive. For a job with all files on one
 * device nothing is kept, because the job's own histograms are those of the device.
 *
 * Each device has a histogram of lat and one of the stage `device`, with two digits: a
 * bin is at most 1 % wide, and the memory of many devices is small. The count and sum of
 * lat over time show if a device is slow throughout.
 */
#ifndef TW_PLUGIN_DEVICES_H
#define TW_PLUGIN_DEVICES_H

#include "engine.h"
#include "files.h"

#define TW_DEVICES_DIGITS	2U

/* Parts of the run. At its end, between half of them and all are in use. */
#define TW_DEVICE_PARTS		64

struct tw_device {
	struct tw_histogram lat[TW_DIRECTIONS];
	struct tw_histogram device_time[TW_DIRECTIONS];
	struct tw_device_part {
		uint64_t count, sum_ns;	/* of lat */
	} parts[TW_DEVICE_PARTS][TW_DIRECTIONS];
};

struct tw_devices {
	const struct tw_files *files;	/* the job's files and their devices */
	unsigned count;
	uint64_t other_ios;		/* in the job's histograms only */
	/* Parts of the run, of the same width for all devices. */
	unsigned part;			/* the open part */
	uint64_t edge_ticks;		/* where the open part ends */
	uint64_t width_ticks;
	uint64_t width_ns;
	struct tw_device list[];
};

/* Begin to record by device, once the job's clock has started and its files are known.
 * @devices is NULL for a job with one device. Return 0 or -ENOMEM. */
int tw_devices_start(struct thread_data *td, const struct tw_job *job,
		     struct tw_devices **devices);
void tw_devices_free(struct tw_devices *devices);

/* Return the index of the file's device in the list. While fio replays a log, it may
 * add files. */
static inline unsigned tw_device_of(const struct tw_devices *devices,
				    const struct fio_file *f)
{
	const unsigned file = (unsigned) f->fileno;

	return file < devices->files->count ? devices->files->of_file[file] :
					      TW_FILES_DEVICES;
}

/* Record an I/O on the device at @place that was returned to fio at @returned_ticks. */
void tw_devices_add(struct tw_devices *devices, unsigned place,
		    enum tw_direction direction, uint64_t returned_ticks,
		    const struct tw_io_times *times);

/* Add what was recorded to the report's "devices", which facts.h has made. @devices
 * may be NULL. Return 0 or -ENOMEM. */
struct json_t;
int tw_devices_add_to_report(const struct tw_devices *devices,
			     struct json_t *report);

#endif
