/* SPDX-License-Identifier: MIT */
/*
 * What the kernel tells of caches, NUMA nodes and available memory. A hypervisor may tell
 * its guest anything, so caches are compared with what is measured, and not relied on.
 * Internal.
 */
#ifndef TW_MEMORY_SYSFS_H
#define TW_MEMORY_SYSFS_H

#include <stddef.h>
#include <stdint.h>

#include "machine/cpus.h"

#define TW_CACHES	8

struct tw_cache {
	unsigned level;
	size_t bytes;
	size_t line_bytes;		/* 0: not known */
	unsigned shared_by;		/* CPUs; 0: not known */
};

/**
 * tw_caches_read - read the data caches of a CPU, the smallest first
 * @base: normally TW_CACHES_BASE; in tests another directory like it
 *
 * Return: how many; 0 if the kernel tells nothing.
 */
#define TW_CACHES_BASE	"/sys/devices/system/cpu"
unsigned tw_caches_read(struct tw_cache caches[TW_CACHES], const char *base, unsigned cpu);

/* Parse "48K", "2048K" or "32M". Return bytes; 0 if it is no size. */
size_t tw_parse_cache_size(const char *text);

/* List the NUMA nodes that have memory, normally from TW_MEMORY_NODES_FILE. If the kernel
 * tells nothing, there is one node: 0. */
#define TW_MEMORY_NODES_FILE	"/sys/devices/system/node/has_memory"
void tw_memory_nodes(struct tw_cpu_list *nodes, const char *path);

/* Return how many bytes can be taken without pushing others out. That is what the kernel
 * calls available, or less if a control group has a lower limit. 0: unknown. */
uint64_t tw_memory_available(void);

/**
 * tw_group_left - find how much a process can still take below its groups' limits
 * @root: where control groups are mounted, normally TW_GROUPS_ROOT
 * @membership: the text of /proc/self/cgroup; NULL: the process is in the root's group
 *
 * Each group up to the root may have a limit, and the least that is left counts. What a
 * group holds as a cache of files does not count as used, because it is given back when it
 * is needed. Works for both versions of control groups. A group that can't be read has no
 * limit.
 *
 * Return: bytes; UINT64_MAX if there is no limit.
 */
#define TW_GROUPS_ROOT	"/sys/fs/cgroup"
uint64_t tw_group_left(const char *root, const char *membership);

/* Return the line after this one; the end of the text after the last one. */
const char *tw_next_line(const char *line);

/* Return the number behind @key at the beginning of a line, such as "KEY  123 kB"; 0: there
 * is none, or no text. */
uint64_t tw_number_of(const char *text, const char *key);

#endif
