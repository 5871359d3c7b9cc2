/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where a job's files are: which device a file is, or its file system is on. Partitions
 * of a disk are devices of their own.
 */
#ifndef TW_PLUGIN_FILES_H
#define TW_PLUGIN_FILES_H

#include <stdbool.h>
#include <sys/stat.h>
#include <sys/types.h>

struct tw_file_device {
	dev_t number;
	bool is_character;	/* of NVMe commands */
	dev_t block;		/* that /sys knows; 0: none */
};

/* Where a file is, or will be. */
struct tw_place {
	struct statx status;
	bool exists;
	char filesystem[32];
	char source[256];	/* what is mounted, maybe the path of a device */
};

/* @mounts: the text of /proc/self/mountinfo, or NULL. fio may not have made the file
 * yet; its folder tells the same. False: unknown. */
bool tw_find_place(const char *path, const char *mounts, struct tw_place *place);

struct tw_file_device tw_device_at(const struct tw_place *place);

#endif
