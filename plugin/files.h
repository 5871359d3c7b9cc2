/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where a job's files are: which device a file is, or its file system is on. Partitions
 * of a disk are devices of their own, as are subvolumes of btrfs.
 */
#ifndef TW_PLUGIN_FILES_H
#define TW_PLUGIN_FILES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct json_t;
struct thread_data;

struct tw_file_device {
	dev_t number;
	bool is_character;	/* of NVMe commands */
	dev_t block;		/* that /sys knows; 0: none */
};

/* More are counted. A device's number has to fit into a byte of of_file. */
#define TW_FILES_DEVICES	64
#define TW_FILES_NAMED		64U

/* Of all files of a job, each device once, in the order of the files. */
struct tw_files {
	struct tw_file_device devices[TW_FILES_DEVICES];
	unsigned device_count;
	unsigned other_files;		/* on another device, or an unknown one */
	char filesystem[TW_FILES_NAMED][32];	/* "": of none, or not known */
	unsigned count;
	uint8_t of_file[];		/* TW_FILES_DEVICES: in no device above */
};

/* NULL without memory; free() frees it. */
struct tw_files *tw_files_find(const struct thread_data *td);

/* "MAJOR:MINOR"; a character device may have the number of a block device. */
struct json_t *tw_file_device_name(const struct tw_file_device *device);

#endif
