/* SPDX-License-Identifier: MIT */
/*
 * In which order a chase visits memory: elements that each hold the address of
 * the next, so that no load can begin before the one before has ended. All of
 * them are one single cycle, whatever the order. Internal.
 *
 * Nothing here reads a clock or allocates memory that is chased.
 */
#ifndef TW_MEMORY_CYCLE_H
#define TW_MEMORY_CYCLE_H

#include <stddef.h>
#include <stdint.h>

enum tw_cycle_kind {
	/* Rising addresses: what prefetchers are made for. */
	TW_CYCLE_SEQUENTIAL,
	/* Every cycle through the elements is equally likely. */
	TW_CYCLE_RANDOM,
	/* Random inside of a window, then the next window, in random order:
	 * the translations of one window stay cached meanwhile. */
	TW_CYCLE_WINDOW,
	/* One element a page, each on another line of it; random: little to
	 * cache but translations. */
	TW_CYCLE_PAGE,
	TW_CYCLE_KINDS,
};

/* "sequential", "random", "window", "page". */
extern const char *const tw_cycle_names[TW_CYCLE_KINDS + 1];

/**
 * struct tw_cycle_shape - what a cycle looks like, whatever its size
 * @kind: order
 * @stride_bytes: from one element to the next, a multiple of 8, at least 8; for
 *	TW_CYCLE_PAGE the size of a line, which moves elements about in pages
 * @page_bytes: for TW_CYCLE_PAGE: a power of two, several strides
 * @window_bytes: for TW_CYCLE_WINDOW: a multiple of the stride
 * @passes: for TW_CYCLE_WINDOW: in how many rounds over the whole memory a
 *	window is visited, 1 to 64. In each of them comes one of @passes elements
 *	side by side, another one in the next page: what was fetched beside an
 *	element is not used in the same round, and all sets of a cache are.
 * @line_bytes: of a cache line; 0: 64
 * @seed: of the random order; the same seed gives the same cycle
 */
struct tw_cycle_shape {
	enum tw_cycle_kind kind;
	size_t stride_bytes;
	size_t page_bytes;
	size_t window_bytes;
	unsigned passes;
	size_t line_bytes;
	uint64_t seed;
};

struct tw_cycle {
	struct tw_cycle_shape shape;
	char *memory;
	size_t count;			/* elements so far */
	uint64_t random[4];
};

/**
 * tw_cycle_init - a cycle of no elements
 * @memory: where they will be: aligned to @shape->page_bytes or to 8
 *
 * Return: 0; -EINVAL for a shape that is none.
 */
int tw_cycle_init(struct tw_cycle *cycle, const struct tw_cycle_shape *shape,
		  void *memory);

/**
 * tw_cycle_grow - let it go through the first @bytes of the memory
 * @bytes: at least one element; not less than before
 *
 * Random and page orders are grown where they stand: each new element goes
 * between a random one before and its successor, which makes every cycle of
 * the new length equally likely (Sattolo's algorithm from the inside out), and
 * costs the new elements only. The window order is linked anew.
 *
 * Return: 0; -EINVAL for less than one element or fewer than there are; -ENOMEM.
 */
int tw_cycle_grow(struct tw_cycle *cycle, size_t bytes);

/* Elements in @bytes of this shape. */
size_t tw_cycle_elements(const struct tw_cycle_shape *shape, size_t bytes);

/* Bytes of the different cache lines that a cycle of @bytes touches. */
size_t tw_cycle_footprint(const struct tw_cycle_shape *shape, size_t bytes);

/* Where a chase can begin: the first element. */
void *tw_cycle_first(const struct tw_cycle *cycle);

#endif
