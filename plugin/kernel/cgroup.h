/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names the cgroups whose ids a program in the kernel has read from bios, and opens one by its
 * path. No privilege is needed: an id is the number of a directory's inode.
 */
#ifndef TW_PLUGIN_KERNEL_CGROUP_H
#define TW_PLUGIN_KERNEL_CGROUP_H

#include <stdint.h>

#include "kernel/limit.h"

#define TW_CGROUP_PATH	256	/* of a path, with its end */
#define TW_LIMIT_TEXT	32	/* of a limit, with its end */
#define TW_CGROUP_ROOT	1	/* id of the root */

/*
 * Write the path of the cgroup with this id (its inode in cgroup2, kn->id) as under
 * /sys/fs/cgroup: "/system.slice/x". "": not known. It is plain text, and "..." stands for the
 * beginning of a longer path. If the controller of block I/O is in a hierarchy of version 1,
 * the id is that of this hierarchy.
 *
 * The first call, and each for an id that is new, reads the names of all cgroups. Call it once
 * before jobs run. Then a cgroup that ends while they run has a name, too. A call with an id
 * that was asked for before reads nothing.
 */
void tw_cgroup_path(char path[TW_CGROUP_PATH], uint64_t id);

/* Write a limit as io.max has it: "riops=500". "": not known. */
void tw_limit_text(char text[TW_LIMIT_TEXT], const struct tw_io_limit *limit);

/* Open the folder of a cgroup: @path, or @path below where a hierarchy is mounted, of version 2
 * first. Return a descriptor or -errno; -ENOTTY: it is no cgroup. */
int tw_cgroup_open(const char *path);

#endif
