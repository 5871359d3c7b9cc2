/* SPDX-License-Identifier: MIT */
/*
 * What the kernel says of caches and NUMA nodes. Internal. A guest is told what
 * its hypervisor likes: it is compared with what was measured, not believed.
 */
#ifndef TW_MEMORY_CACHES_H
#define TW_MEMORY_CACHES_H

#include <stddef.h>
#include <stdint.h>

#define TW_CACHES	8

struct tw_cache {
	unsigned level;
	size_t bytes;
	size_t line_bytes;		/* 0: not said */
	unsigned shared_by;		/* CPUs; 0: not said */
};

/**
 * tw_caches_read - the caches for data of a CPU, the smallest first
 * @base: normally TW_CACHES_BASE; for tests another directory like it
 *
 * Return: how many; 0 where the kernel says nothing.
 */
#define TW_CACHES_BASE	"/sys/devices/system/cpu"
unsigned tw_caches_read(struct tw_cache caches[TW_CACHES], const char *base,
			unsigned cpu);

/* "48K", "2048K", "32M" in bytes; 0: no size. */
size_t tw_parse_cache_size(const char *text);

/**
 * tw_parse_list - "0-3,8" as numbers
 * @numbers: room for @room
 *
 * Return: how many there are, also beyond @room; -EINVAL for anything else.
 */
int tw_parse_list(const char *text, unsigned *numbers, unsigned room);

/**
 * tw_memory_nodes - NUMA nodes that have memory
 * @nodes: room for @room, at least 1
 *
 * Return: how many, at most @room; at least one: 0, also where the kernel says
 * nothing.
 */
unsigned tw_memory_nodes(unsigned *nodes, unsigned room);

/* The same of another file than the kernel's. */
#define TW_MEMORY_NODES_FILE	"/sys/devices/system/node/has_memory"
unsigned tw_memory_nodes_read(unsigned *nodes, unsigned room,
			      const char *path);

#endif
