/* SPDX-License-Identifier: MIT */
/*
 * Memory that a hook may take. It is mapped, and never from malloc(): the
 * program may be in the middle of malloc(), or may have instrumented it.
 *
 * All arenas share one budget. Memory is given back all at once.
 */
#ifndef TW_PROFILE_ARENA_H
#define TW_PROFILE_ARENA_H

#include <stddef.h>
#include <stdint.h>

struct tw_arena_chunk;

struct tw_arena {
	char *next, *end;		/* what is left of the last chunk */
	struct tw_arena_chunk *chunks;
	int64_t *budget_bytes;		/* shared; NULL: no limit */
};

/* Take zeroed memory, aligned to 16. NULL if the budget or the machine has
 * none. This takes a few instructions, and a mapping every some hundred
 * kilobytes. */
void *tw_arena_take(struct tw_arena *arena, size_t size);

/* Give back everything that was taken, to the budget, too. */
void tw_arena_free(struct tw_arena *arena);

/* Forget the chunks without unmapping them. No thread may use their memory
 * after this. */
void tw_arena_forget(struct tw_arena *arena);

#endif
