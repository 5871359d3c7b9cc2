/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Paths of the files of I/Os. attach.bpf.c finds them in the kernel: nothing here can wait
 * for a file system, and a file has its path also after it was closed.
 */
#ifndef TW_PLUGIN_KERNEL_ATTACH_FILES_H
#define TW_PLUGIN_KERNEL_ATTACH_FILES_H

#include <stddef.h>
#include <stdint.h>

#include "attach/attach_record.h"

struct tw_attach_path {
	struct tw_attach_inode inode;
	char *path;
};

/* By hash of the inode. attach.bpf.c sends no more than MAX_FILES. */
struct tw_attach_files {
	struct tw_attach_path *places;
	uint32_t place_count;		/* a power of two */
	uint32_t count;
};

/* Add a file. @size: of the record. Return 0 or -ENOMEM. */
int tw_attach_add_file(struct tw_attach_files *files,
		       const struct tw_attach_file *file, size_t size);

/* Return the path of a file; "-" for an I/O without a file, "?" for an unknown file. */
const char *tw_attach_file_name(const struct tw_attach_files *files,
				const struct tw_attach_inode *inode);

void tw_attach_files_free(struct tw_attach_files *files);

#endif
