/* SPDX-License-Identifier: MIT */
/*
 * What the kernel tells of caches and NUMA nodes. Internal. A hypervisor may
 * tell its guest anything, so this is compared with what is measured, and not
 * relied on.
 */
#ifndef TW_MEMORY_CACHES_H
#define TW_MEMORY_CACHES_H

#include <stddef.h>
#include <stdint.h>

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
unsigned tw_caches_read(struct tw_cache caches[TW_CACHES], const char *base,
			unsigned cpu);

/* Parse "48K", "2048K" or "32M". Return bytes; 0 if it is no size. */
size_t tw_parse_cache_size(const char *text);

/**
 * tw_parse_list - parse numbers such as "0-3,8"
 * @numbers: room for @room numbers
 *
 * Return: how many there are, which can be more than @room; -EINVAL for any
 * other text.
 */
int tw_parse_list(const char *text, unsigned *numbers, unsigned room);

/**
 * tw_memory_nodes - list the NUMA nodes that have memory
 * @nodes: room for @room numbers, at least 1
 *
 * Return: how many, at most @room. If the kernel tells nothing, there is one
 * node: 0.
 */
unsigned tw_memory_nodes(unsigned *nodes, unsigned room);

/* Do the same with another file than the kernel's. */
#define TW_MEMORY_NODES_FILE	"/sys/devices/system/node/has_memory"
unsigned tw_memory_nodes_read(unsigned *nodes, unsigned room,
			      const char *path);

#endif
