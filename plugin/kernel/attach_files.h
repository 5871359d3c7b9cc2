/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names of the files that I/Os were on: paths from /proc/PID/fd while the process has
 * them open, else the last part, which the kernel's program has told.
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
	bool tried;		/* to find its path */
	char *name;
};

struct tw_attach_files {
	struct tw_attach_file_name *list;
	size_t count;
	size_t untried;
	pid_t process;		/* that has all; 0: each record says its own */
};

/* 0; -ENOMEM. */
int tw_attach_add_file(struct tw_attach_files *files,
		       const struct tw_attach_file *file);

/* Look for the paths of those that are new. */
void tw_attach_find_paths(struct tw_attach_files *files);

/* "-" for an I/O on no file. */
const char *tw_attach_file_name(const struct tw_attach_files *files,
				const struct tw_attach_inode *inode);

void tw_attach_files_free(struct tw_attach_files *files);

#endif
