/* SPDX-License-Identifier: GPL-2.0 */
/* Block devices as the files of a simulated job. */
#ifndef TW_TESTS_ENGINE_BLOCK_FILES_H
#define TW_TESTS_ENGINE_BLOCK_FILES_H

#include <sys/stat.h>

#include "engine_world.h"

static struct fio_file block_files[3];

/* The name of each ends with its minor number. */
int statx(int folder, const char *restrict path, int flags, unsigned mask,
	  struct statx *restrict status)
{
	*status = (struct statx) { .stx_mode = S_IFBLK, .stx_rdev_major = 259,
				   .stx_rdev_minor = (unsigned)path[1] - '0' };
	return 0;
}

/* Give the next job this number of files, up to three. */
static void world_block_files(unsigned count)
{
	static const char *const names[] = { "b0", "b1", "b2" };

	for (unsigned i = 0; i < count; i++) {
		block_files[i] = world.file;
		block_files[i].file_name = (char *)names[i];
		block_files[i].fileno = (int)i;
		world.list[i] = &block_files[i];
	}
	world.td.files_index = count;
}

#endif
