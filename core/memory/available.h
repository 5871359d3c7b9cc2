/* SPDX-License-Identifier: MIT */
/*
 * How much memory may be taken. Internal.
 */
#ifndef TW_MEMORY_AVAILABLE_H
#define TW_MEMORY_AVAILABLE_H

#include <stdint.h>

/* Bytes that may be taken without pushing others out: what the kernel calls
 * available, less where a control group has a lower limit. 0: unknown. */
uint64_t tw_memory_available(void);

/**
 * tw_group_left - what a process may still take below its groups' limits
 * @root: where control groups are mounted, normally TW_GROUPS_ROOT
 * @membership: /proc/self/cgroup, its text; NULL: of the root's group
 *
 * Each group up to the root may have a limit: the least that is left counts.
 * What a group holds as a cache of files is given back when it is needed, and
 * is no use of memory here. Both versions of control groups; one that can't be
 * read has no limit.
 *
 * Return: bytes; UINT64_MAX where there is no limit.
 */
#define TW_GROUPS_ROOT	"/sys/fs/cgroup"
uint64_t tw_group_left(const char *root, const char *membership);

#endif
