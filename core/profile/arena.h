/* SPDX-License-Identifier: MIT */
/*
 * Memory that a hook may take: mapped, never from malloc(), which the program
 * may be in the middle of, or may have instrumented.
 *
 * All arenas share one budget. What was taken is given back all at once.
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

/* Zeroed memory, aligned to 16; NULL when the budget or the machine has none.
 * A few instructions, but for one mapping every some hundred kilobytes. */
void *tw_arena_take(struct tw_arena *arena, size_t size);

/* Everything that was taken goes back, to the budget, too. */
void tw_arena_free(struct tw_arena *arena);

/* What is not to be touched again by anybody, but not by this thread either:
 * forgets the chunks without unmapping them. */
void tw_arena_forget(struct tw_arena *arena);

#endif
