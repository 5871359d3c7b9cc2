/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The I/Os by device, to find a slow drive. For a job with all files on one device nothing is
 * kept, because the job's own tally is that of the device.
 *
 * Each device has a histogram of lat and one of the stage `device`, with two digits: a bin is
 * at most 1 % wide, and the memory of many devices is small. lat over time shows if a device
 * is slow throughout.
 */
#ifndef TW_PLUGIN_RECORD_JOB_DEVICES_H
#define TW_PLUGIN_RECORD_JOB_DEVICES_H

#include "job_state.h"
#include "report/report.h"

/* A device is what a file is, or what its file system is on. A partition of a disk is a device
 * of its own, and so is a subvolume of btrfs. */
struct tw_file_device {
	dev_t number;
	bool is_character;	/* for NVMe commands */
	dev_t block;		/* its block device in /sys; 0: none */
};

/* Devices beyond this number are not kept. The index of a device has to fit into a byte of
 * of_file. */
#define TW_FILES_DEVICES	64

/* Where the kernel has a file; zeroes: not known. */
struct tw_file_at {
	uint64_t inode;
	dev_t device;		/* as programs see it */
};

#define TW_FILES_LISTED	64	/* files beyond these are only counted */

/* The devices of a job's files, each once, in the order of the files. */
struct tw_files {
	struct tw_file_at at[TW_FILES_LISTED];
	struct tw_file_device devices[TW_FILES_DEVICES];
	unsigned device_count;
	unsigned other_files;		/* on devices that are unknown or not kept */
	unsigned count;
	uint8_t of_file[];		/* index; TW_FILES_DEVICES: not in @devices */
};

struct tw_devices {
	const struct tw_files *files;	/* the job's files and their devices */
	uint64_t other_ios;		/* in the job's tally only */
	unsigned count;
	struct tw_report_device list[];	/* in the order of the files */
};

/* Begin to record by device, once the job's files are known. @devices is NULL if all of
 * them are on one device, or none is on a known one. Return 0 or -ENOMEM. */
int tw_devices_start(struct thread_data *td, const struct tw_files *files,
		     struct tw_devices **devices);
void tw_devices_free(struct tw_devices *devices);

/* Forget all I/Os. @devices may be NULL. */
void tw_devices_forget(struct tw_devices *devices);

/* Return the index of the file's device in the list. While fio replays a log, it may
 * add files. */
static inline unsigned tw_device_of(const struct tw_devices *devices,
				    const struct fio_file *f)
{
	const unsigned file = (unsigned) f->fileno;

	return file < devices->files->count ? devices->files->of_file[file] :
					      TW_FILES_DEVICES;
}

/* Record an I/O on the device with index @place. The I/O was returned to fio at @at_ns of
 * CLOCK_REALTIME. */
void tw_devices_add(struct tw_devices *devices, unsigned place,
		    enum tw_direction direction, uint64_t at_ns,
		    const struct tw_io_times *times, uint64_t weight);

#endif
