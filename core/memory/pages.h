/* SPDX-License-Identifier: MIT */
/*
 * Memory that is chased: on pages of a certain size and on a certain NUMA node.
 * It is checked that the pages are of that kind. Internal.
 */
#ifndef TW_MEMORY_PAGES_H
#define TW_MEMORY_PAGES_H

#include <stddef.h>
#include <stdint.h>

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

#endif
