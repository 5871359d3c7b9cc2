/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where a job's files are: the device that a file is, or that its file system is on. A
 * partition of a disk is a device of its own, and so is a subvolume of btrfs.
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
	bool is_character;	/* for NVMe commands */
	dev_t block;		/* its block device in /sys; 0: none */
};

/* Devices and names beyond these numbers are not kept. The index of a device has to fit
 * into a byte of of_file. */
#define TW_FILES_DEVICES	64
#define TW_FILES_NAMED		64U

/* The devices of a job's files, each once, in the order of the files. */
struct tw_files {
	struct tw_file_device devices[TW_FILES_DEVICES];
	unsigned device_count;
	unsigned other_files;		/* on devices that are unknown or not kept */
	char filesystem[TW_FILES_NAMED][32];	/* "": none, or unknown */
	unsigned count;
	uint8_t of_file[];		/* index; TW_FILES_DEVICES: not in @devices */
};

/* Find the devices of the job's files. Return NULL without memory; free() the result. */
struct tw_files *tw_files_find(const struct thread_data *td);

/* Return "MAJOR:MINOR", or "char MAJOR:MINOR", since a character device may have the
 * number of a block device. */
struct json_t *tw_file_device_name(const struct tw_file_device *device);

#endif
