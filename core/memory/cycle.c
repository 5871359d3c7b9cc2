/* SPDX-License-Identifier: MIT */
/*
 * Links the orders in which memory is visited into the memory itself.
 */
#include "cycle.h"

#include <errno.h>
#include <stdlib.h>

#define MAX_PASSES	64
#define LINE_BYTES	64
/* No page is smaller than this. The sets of a cache repeat with such pages. */
#define PAGE_BYTES	4096

const char *const tw_cycle_names[TW_CYCLE_KINDS + 1] = {
	"sequential", "random", "window", "page",
};

/* ---- random numbers -------------------------------------------------------
 *
 * Reproducible and without bias. xoshiro256** and splitmix64 are by Blackman and Vigna
 * (prng.di.unimi.it). The bounded form is by Lemire, "Fast random integer generation in an
 * interval" (2019).
 */

static void random_seed(uint64_t state[4], uint64_t seed)
{
	for (int i = 0; i < 4; i++) {
		uint64_t z = seed += 0x9e3779b97f4a7c15u;

		z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
		z = (z ^ z >> 27) * 0x94d049bb133111ebu;
		state[i] = z ^ z >> 31;
	}
}

static uint64_t random_rotate(uint64_t value, unsigned by)
{
	return value << by | value >> (64 - by);
}

static uint64_t random_next(uint64_t state[4])
{
	uint64_t result = random_rotate(state[1] * 5, 7) * 9;
	uint64_t shifted = state[1] << 17;

	state[2] ^= state[0];
	state[3] ^= state[1];
	state[1] ^= state[2];
	state[0] ^= state[3];
	state[2] ^= shifted;
	state[3] = random_rotate(state[3], 45);
	return result;
}

/* Return 0 to @bound - 1, all equally likely; @bound 1 to 2^32. */
static uint64_t random_below(uint64_t state[4], uint64_t bound)
{
	uint64_t product = (random_next(state) >> 32) * bound;

	/* The low half is the place within a share. The first 2^32 mod bound
	 * places of each share are too many. */
	if ((uint32_t)product < bound) {
		uint32_t excess = (uint32_t)((UINT64_C(1) << 32) % bound);

		while ((uint32_t)product < excess)
			product = (random_next(state) >> 32) * bound;
	}
	return product >> 32;
}

/* ---- cycles -------------------------------------------------------------- */

static int is_valid(const struct tw_cycle_shape *shape)
{
	if (shape->stride_bytes < sizeof(void *) ||
	    shape->stride_bytes % sizeof(void *))
		return 0;
	switch (shape->kind) {
	case TW_CYCLE_SEQUENTIAL:
	case TW_CYCLE_RANDOM:
		return 1;
	case TW_CYCLE_WINDOW:
		return shape->window_bytes >= shape->stride_bytes &&
		       shape->window_bytes % shape->stride_bytes == 0 &&
		       shape->window_bytes / shape->stride_bytes <= UINT32_MAX &&
		       shape->passes >= 1 && shape->passes <= MAX_PASSES;
	case TW_CYCLE_PAGE:
		return (shape->page_bytes & (shape->page_bytes - 1)) == 0 &&
		       shape->page_bytes >= shape->stride_bytes &&
		       shape->page_bytes % shape->stride_bytes == 0;
	default:
		return 0;
	}
}

int tw_cycle_init(struct tw_cycle *cycle, const struct tw_cycle_shape *shape,
		  void *memory)
{
	if (!is_valid(shape))
		return -EINVAL;
	*cycle = (struct tw_cycle) { .shape = *shape, .memory = memory };
	random_seed(cycle->random, shape->seed);
	return 0;
}

size_t tw_cycle_elements(const struct tw_cycle_shape *shape, size_t bytes)
{
	return bytes / (shape->kind == TW_CYCLE_PAGE ? shape->page_bytes :
						       shape->stride_bytes);
}

size_t tw_cycle_footprint(const struct tw_cycle_shape *shape, size_t bytes)
{
	size_t line_bytes = shape->line_bytes ? shape->line_bytes : LINE_BYTES;
	size_t elements = tw_cycle_elements(shape, bytes);

	if (shape->kind != TW_CYCLE_PAGE && shape->stride_bytes < line_bytes)
		return elements * shape->stride_bytes;
	return elements * line_bytes;
}

/*
 * Return the address of an element. The first lines of all pages would be in
 * the same few sets of a cache. So each page has its element on another line.
 * The golden ratio spreads the lines evenly, since pages that follow each other
 * are often adjacent in physical memory, too.
 */
static void **element(const struct tw_cycle *cycle, size_t i)
{
	const struct tw_cycle_shape *shape = &cycle->shape;
	size_t lines, line;

	if (shape->kind != TW_CYCLE_PAGE)
		return (void **)(cycle->memory + i * shape->stride_bytes);
	lines = shape->page_bytes / shape->stride_bytes;
	line = (size_t)(((i * UINT64_C(0x9e3779b97f4a7c15)) >> 32) * lines >>
			32);
	return (void **)(cycle->memory + i * shape->page_bytes +
			 line * shape->stride_bytes);
}

void *tw_cycle_first(const struct tw_cycle *cycle)
{
	return element(cycle, 0);
}

/* ---- windows -------------------------------------------------------------- */

static void shuffle(struct tw_cycle *cycle, uint32_t *list, size_t count)
{
	for (size_t i = count; i > 1; i--) {
		size_t other = (size_t)random_below(cycle->random, i);
		uint32_t kept = list[i - 1];

		list[i - 1] = list[other];
		list[other] = kept;
	}
}

/*
 * Link one pass through one window after @last: one of each @passes adjacent elements.
 * Return the last of them. @list has room for a window.
 *
 * Which one a pass visits is not the same in each page. The lines at one place of all pages
 * share a few sets of a cache. The page tables would stay in the other sets, so a pass
 * through a large memory would find its translations there.
 */
static void **link_window(struct tw_cycle *cycle, size_t first, size_t count,
			  unsigned pass, uint32_t *list, void **last)
{
	size_t listed = 0;

	for (size_t i = 0; i < count; i += cycle->shape.passes) {
		size_t page = (first + i) * cycle->shape.stride_bytes / PAGE_BYTES;
		size_t chosen = i + (page + pass) % cycle->shape.passes;

		if (chosen < count)
			list[listed++] = (uint32_t)chosen;
	}
	shuffle(cycle, list, listed);
	for (size_t i = 0; i < listed; i++) {
		void **next = element(cycle, first + list[i]);

		*last = next;
		last = next;
	}
	return last;
}

/* Return where a window begins. Window sizes differ by one element at most. A
 * last window that was only a rest would be visited very fast, and give the
 * minimum of the whole. */
static size_t window_begin(size_t count, size_t windows, size_t i)
{
	return count / windows * i + (i < count % windows ? i : count % windows);
}

static void link_windows(struct tw_cycle *cycle, size_t count, uint32_t *order,
			 size_t windows, uint32_t *list)
{
	void *first = NULL;
	void **last = &first;

	/* Seed again, so that a size has the same cycle however it was reached. */
	random_seed(cycle->random, cycle->shape.seed);
	for (size_t i = 0; i < windows; i++)
		order[i] = (uint32_t)i;
	for (unsigned pass = 0; pass < cycle->shape.passes; pass++) {
		shuffle(cycle, order, windows);
		for (size_t i = 0; i < windows; i++) {
			size_t begin = window_begin(count, windows, order[i]);
			size_t end = window_begin(count, windows, order[i] + 1);

			last = link_window(cycle, begin, end - begin, pass, list, last);
		}
	}
	*last = first;
}

int tw_cycle_grow(struct tw_cycle *cycle, size_t bytes)
{
	size_t count = tw_cycle_elements(&cycle->shape, bytes);

	/* Random numbers choose among 2^32 elements at most: 256 GiB of lines. */
	if (count == 0 || count < cycle->count || count > UINT32_MAX)
		return -EINVAL;
	if (cycle->count == 0) {
		void **first = element(cycle, 0);

		*first = first;
		cycle->count = 1;
	}
	if (cycle->shape.kind == TW_CYCLE_WINDOW) {
		size_t in_window = cycle->shape.window_bytes / cycle->shape.stride_bytes;
		size_t windows = (count + in_window - 1) / in_window;
		uint32_t *order = malloc(windows * sizeof(*order));
		uint32_t *list = malloc(in_window * sizeof(*list));
		int has_memory = order && list;

		if (has_memory)
			link_windows(cycle, count, order, windows, list);
		free(order);
		free(list);
		if (!has_memory)
			return -ENOMEM;
		cycle->count = count;
	}
	/* Insert each new element after the last one, or after a random one of those before. */
	for (size_t i = cycle->count; i < count; i++) {
		size_t before = cycle->shape.kind == TW_CYCLE_SEQUENTIAL ? i - 1 :
				(size_t)random_below(cycle->random, i);
		void **place = element(cycle, before), **added = element(cycle, i);

		*added = *place;
		*place = added;
	}
	cycle->count = count;
	return 0;
}
