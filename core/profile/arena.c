/* SPDX-License-Identifier: MIT */
/*
 * Hands out chunks of mapped memory from the front.
 */
#include <sys/mman.h>

#include "arena.h"

#define CHUNK_BYTES	((size_t)128 << 10)
#define ALIGNMENT	16

struct tw_arena_chunk {
	struct tw_arena_chunk *before;
	size_t size;
};

static int take_from_budget(int64_t *budget_bytes, size_t size)
{
	if (!budget_bytes)
		return 1;
	if (__atomic_sub_fetch(budget_bytes, (int64_t)size,
			       __ATOMIC_RELAXED) >= 0)
		return 1;
	__atomic_add_fetch(budget_bytes, (int64_t)size, __ATOMIC_RELAXED);
	return 0;
}

static int add_chunk(struct tw_arena *arena, size_t size)
{
	struct tw_arena_chunk *chunk;

	if (!take_from_budget(arena->budget_bytes, size))
		return 0;
	chunk = mmap(NULL, size, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (chunk == MAP_FAILED) {
		if (arena->budget_bytes)
			__atomic_add_fetch(arena->budget_bytes, (int64_t)size,
					   __ATOMIC_RELAXED);
		return 0;
	}
	chunk->before = arena->chunks;
	chunk->size = size;
	arena->chunks = chunk;
	arena->next = (char *)chunk + ALIGNMENT;
	arena->end = (char *)chunk + size;
	return 1;
}

void *tw_arena_take(struct tw_arena *arena, size_t size)
{
	void *taken;

	size = (size + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
	if (size > (size_t)(arena->end - arena->next)) {
		size_t wanted = size + ALIGNMENT;

		if (wanted < CHUNK_BYTES)
			wanted = CHUNK_BYTES;
		wanted = (wanted + 4095) & ~(size_t)4095;
		if (!add_chunk(arena, wanted))
			return NULL;
	}
	taken = arena->next;
	arena->next += size;
	return taken;
}

void tw_arena_free(struct tw_arena *arena)
{
	struct tw_arena_chunk *chunk = arena->chunks;

	tw_arena_forget(arena);
	while (chunk) {
		struct tw_arena_chunk *before = chunk->before;
		size_t size = chunk->size;

		munmap(chunk, size);
		if (arena->budget_bytes)
			__atomic_add_fetch(arena->budget_bytes, (int64_t)size,
					   __ATOMIC_RELAXED);
		chunk = before;
	}
}

void tw_arena_forget(struct tw_arena *arena)
{
	arena->next = arena->end = NULL;
	arena->chunks = NULL;
}
