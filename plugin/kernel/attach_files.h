/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names of the files of I/Os. While the process has a file open, /proc/PID/fd tells the
 * path. Otherwise the name is the last part of the path, from attach.bpf.c.
 */
#ifndef TW_PLUGIN_KERNEL_ATTACH_FILES_H
#define TW_PLUGIN_KERNEL_ATTACH_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "kernel/attach_record.h"

struct tw_attach_file_name {
	struct tw_attach_inode inode;
	pid_t process;
	bool tried;		/* its path was looked for */
	char *name;
};

struct tw_attach_files {
	struct tw_attach_file_name *list;
	size_t count;
	size_t untried;
	pid_t process;		/* of all files; 0: each record names its own */
};

/* Add a file to the list. Return 0 or -ENOMEM. */
int tw_attach_add_file(struct tw_attach_files *files,
		       const struct tw_attach_file *file);

/* Find the paths of new files. */
void tw_attach_find_paths(struct tw_attach_files *files);

/* Return the name of a file; "-" for an I/O without a file, "?" for an unknown file. */
const char *tw_attach_file_name(const struct tw_attach_files *files,
				const struct tw_attach_inode *inode);

void tw_attach_files_free(struct tw_attach_files *files);

#endif
