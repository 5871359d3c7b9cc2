/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The I/Os of a job by device: which drive is the slow one? Of a job whose files are on
 * one device nothing is kept, as its own histograms are the device's.
 *
 * Of each device there is a histogram of lat, and one of
 * the stage `device`, with two digits: a bin is at most 1 % wide, and the memory of many
 * devices is small. Count and sum of lat over time say if a device is slow throughout.
 */
#ifndef TW_PLUGIN_DEVICES_H
#define TW_PLUGIN_DEVICES_H

#include "engine.h"
#include "files.h"

#define TW_DEVICES_DIGITS	2U

/* Half to all of them are used in the end. */
#define TW_DEVICE_PARTS		64

struct tw_device {
	struct tw_histogram lat[TW_DIRECTIONS];
	struct tw_histogram device_time[TW_DIRECTIONS];
	struct tw_device_part {
		uint64_t count, sum_ns;	/* of lat */
	} parts[TW_DEVICE_PARTS][TW_DIRECTIONS];
};

struct tw_devices {
	const struct tw_files *files;	/* whose devices these are */
	unsigned count;
	uint64_t other_ios;		/* in the job's histograms only */
	/* Parts of the run, of the same width for all devices. */
	unsigned part;			/* the open one, */
	uint64_t edge_ticks;		/* and where it ends */
	uint64_t width_ticks;
	uint64_t width_ns;
	struct tw_device list[];
};

/* The job's clock has started, and its files are known. @devices is NULL for a job with
 * one device. 0; -ENOMEM. */
int tw_devices_start(struct thread_data *td, const struct tw_job *job,
		     struct tw_devices **devices);
void tw_devices_free(struct tw_devices *devices);

/* The place of the file's device in the list. While a log is replayed, fio may add
 * files. */
static inline unsigned tw_device_of(const struct tw_devices *devices,
				    const struct fio_file *f)
{
	const unsigned file = (unsigned) f->fileno;

	return file < devices->files->count ? devices->files->of_file[file] :
					      TW_FILES_DEVICES;
}

/* An I/O on the device at @place was returned to fio at @returned_ticks. */
void tw_devices_add(struct tw_devices *devices, unsigned place,
		    enum tw_direction direction, uint64_t returned_ticks,
		    const struct tw_io_times *times);

/* Adds what there is of them to the report's "devices", which facts.h has made.
 * @devices may be NULL. 0; -ENOMEM. */
struct json_t;
int tw_devices_add_to_report(const struct tw_devices *devices,
			     struct json_t *report);

#endif
