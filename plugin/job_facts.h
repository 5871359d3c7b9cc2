/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a report contains about the job's surroundings: its options, the machine, its
 * files, and the devices that hold the files. A device is what a file is, or what its file
 * system is on. A partition of a disk is a device of its own, and so is a subvolume of
 * btrfs.
 */
#ifndef TW_PLUGIN_JOB_FACTS_H
#define TW_PLUGIN_JOB_FACTS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct thread_data;
struct tw_cpu_list;
struct tw_report;

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

struct tw_facts {
	json_t *options, *machine, *files;
	uint64_t options_left_out, files_left_out;
	struct tw_files *where;
};

/* Collect the facts. Call it before the first I/O, since fio forgets its files before it
 * ends a job. Return NULL without memory. */
struct tw_facts *tw_facts_take(struct thread_data *td, const struct tw_cpu_list *cpus);
void tw_facts_free(struct tw_facts *facts);

/* Set the options, the machine and the files in @report, which has one job. */
void tw_facts_put(const struct tw_facts *facts, struct tw_report *report);

/* Return an element of devices[] for the device @i of the files. It is read now, since fio
 * may have changed a scheduler after the job began. */
json_t *tw_facts_device(const struct tw_facts *facts, unsigned i);

#endif
