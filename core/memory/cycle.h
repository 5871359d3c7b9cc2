/* SPDX-License-Identifier: MIT */
/*
 * The order in which a chase visits memory. Each element holds the address of
 * the next one, so no load can begin before the previous one has ended. In
 * every order all elements are one single cycle. Internal.
 *
 * Nothing here reads a clock, or allocates memory that is chased.
 */
#ifndef TW_MEMORY_CYCLE_H
#define TW_MEMORY_CYCLE_H

#include <stddef.h>
#include <stdint.h>

enum tw_cycle_kind {
	/* Rising addresses, which prefetchers are made for. */
	TW_CYCLE_SEQUENTIAL,
	/* Random: every cycle through the elements is equally likely. */
	TW_CYCLE_RANDOM,
	/* Random inside a window, then the next window, in random order.
	 * Meanwhile the translations of the window stay cached. */
	TW_CYCLE_WINDOW,
	/* Random, with one element a page, each on another line. Little but
	 * translations can be cached. */
	TW_CYCLE_PAGE,
	TW_CYCLE_KINDS,
};

/* "sequential", "random", "window", "page". */
extern const char *const tw_cycle_names[TW_CYCLE_KINDS + 1];

/**
 * struct tw_cycle_shape - the form of a cycle of any size
 * @kind: order
 * @stride_bytes: from one element to the next, a multiple of 8, at least 8. For
 *	TW_CYCLE_PAGE the size of a line: elements are at different lines of
 *	their pages
 * @page_bytes: for TW_CYCLE_PAGE: a power of two, several strides
 * @window_bytes: for TW_CYCLE_WINDOW: a multiple of the stride
 * @passes: for TW_CYCLE_WINDOW: in how many rounds over the whole memory a
 *	window is visited, 1 to 64. Each round visits one of @passes adjacent
 *	elements, and another one in the next page. So a line that was fetched
 *	together with its neighbour is not used in the same round, and all sets
 *	of a cache are used.
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
 * tw_cycle_init - set up a cycle without elements
 * @memory: where the elements will be: aligned to @shape->page_bytes or to 8
 *
 * Return: 0; -EINVAL for an invalid shape.
 */
int tw_cycle_init(struct tw_cycle *cycle, const struct tw_cycle_shape *shape,
		  void *memory);

/**
 * tw_cycle_grow - extend the cycle to the first @bytes of the memory
 * @bytes: at least one element; not less than before
 *
 * Random and page orders grow in place. Each new element is put between a
 * random earlier one and its successor. That makes every cycle of the new
 * length equally likely (Sattolo's algorithm from the inside out), and costs
 * only the new elements. The window order is linked anew.
 *
 * Return: 0; -EINVAL for less than one element, or for fewer than there are;
 * -ENOMEM.
 */
int tw_cycle_grow(struct tw_cycle *cycle, size_t bytes);

/* Return how many elements @bytes of this shape have. */
size_t tw_cycle_elements(const struct tw_cycle_shape *shape, size_t bytes);

/* Return the bytes of the different cache lines that a cycle of @bytes touches. */
size_t tw_cycle_footprint(const struct tw_cycle_shape *shape, size_t bytes);

/* Return where a chase can begin: the first element. */
void *tw_cycle_first(const struct tw_cycle *cycle);

#endif
