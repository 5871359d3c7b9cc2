/* SPDX-License-Identifier: MIT */
/*
 * How much memory a process can take. Internal.
 */
#ifndef TW_MEMORY_AVAILABLE_H
#define TW_MEMORY_AVAILABLE_H

#include <stdint.h>

/* Return how many bytes can be taken without pushing others out. That is what
 * the kernel calls available, or less if a control group has a lower limit. 0:
 * unknown. */
uint64_t tw_memory_available(void);

/**
 * tw_group_left - find how much a process can still take below its groups' limits
 * @root: where control groups are mounted, normally TW_GROUPS_ROOT
 * @membership: the text of /proc/self/cgroup; NULL: the process is in the
 * root's group
 *
 * Each group up to the root may have a limit, and the least that is left
 * counts. What a group holds as a cache of files does not count as used,
 * because it is given back when it is needed. Works for both versions of
 * control groups. A group that can't be read has no limit.
 *
 * Return: bytes; UINT64_MAX if there is no limit.
 */
#define TW_GROUPS_ROOT	"/sys/fs/cgroup"
uint64_t tw_group_left(const char *root, const char *membership);

#endif
