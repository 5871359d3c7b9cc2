/* SPDX-License-Identifier: MIT */
/*
 * Memory that is chased: on pages of a certain size and on a certain NUMA node. It is checked
 * that the pages are of that kind. And what the kernel tells of caches, NUMA nodes and available
 * memory. A hypervisor may tell its guest anything, so caches are compared with what is measured,
 * and not relied on. Internal.
 */
#ifndef TW_MEMORY_PAGES_H
#define TW_MEMORY_PAGES_H

#include <stddef.h>
#include <stdint.h>

#include "machine/cpus.h"

enum tw_pages {
	TW_PAGES_SMALL,		/* the smallest; never a huge one by accident */
	TW_PAGES_TRANSPARENT,	/* huge ones where the kernel gives them */
	TW_PAGES_RESERVED,	/* of the pool that an administrator reserved */
	TW_PAGES_KINDS,
};

/* "small", "transparent", "reserved". */
extern const char *const tw_pages_names[TW_PAGES_KINDS + 1];

#define TW_ANY_NODE	(-1)

struct tw_memory {
	char *start;
	size_t bytes;
	enum tw_pages pages;
	size_t page_bytes;	/* of the smallest page in it */
	size_t huge_bytes;	/* how much is on huge pages, by smaps */
	void *reserved;		/* the whole range of addresses, for unmapping */
	size_t reserved_bytes;
};

/**
 * tw_memory_map - get memory, touch all of it, and check its pages
 * @bytes: rounded up to whole pages
 * @node: a NUMA node; TW_ANY_NODE: where the thread runs
 *
 * When it returns 0, small pages are small for certain. Of transparent ones some are huge:
 * see @memory->huge_bytes.
 *
 * Return: 0, or
 *	-ENOMEM		too little memory, or the pool of reserved pages is too small
 *	-EINVAL		there is no such node
 *	-EOPNOTSUPP	the kernel has no such pages, gave huge ones instead of small
 *			ones, or gave none as transparent ones
 *	-errno		of reading smaps
 */
int tw_memory_map(struct tw_memory *memory, size_t bytes, enum tw_pages pages,
		  int node);

/* Return why tw_memory_map() returned @error for these @pages, as a text for
 * people. */
const char *tw_pages_why_not(int error, enum tw_pages pages);
void tw_memory_unmap(struct tw_memory *memory);

/* Return how much memory tw_memory_map() takes for @bytes. */
size_t tw_pages_rounded(size_t bytes, enum tw_pages pages);

/**
 * tw_smaps_huge_bytes - find how much of a mapping is on huge pages
 * @text: /proc/PID/smaps, lines of it
 * @start: an address inside the mapping
 * @huge_bytes: on transparent and reserved ones
 * @page_bytes: KernelPageSize of the mapping
 *
 * Pure. Return: 0; -ENOENT if no mapping has the address; -EBADMSG for a
 * mapping without such lines.
 */
int tw_smaps_huge_bytes(const char *text, uintptr_t start, size_t *huge_bytes,
			size_t *page_bytes);

/* ---- caches, nodes, available memory ---- */

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

/* List the NUMA nodes that have memory, normally from TW_MEMORY_NODES_FILE. If the kernel
 * tells nothing, there is one node: 0. */
#define TW_MEMORY_NODES_FILE	"/sys/devices/system/node/has_memory"
void tw_memory_nodes(struct tw_cpu_list *nodes, const char *path);

/* Return how many bytes can be taken without pushing others out. That is what the kernel
 * calls available, or less if a control group or RLIMIT_AS has a lower limit. Some MiB are
 * kept for the program itself and for page tables. UINT64_MAX: unknown. */
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

#endif
