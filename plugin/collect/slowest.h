/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The slowest N values of a stream: a heap with the fastest of the N at its root.
 * The engines and `tickwise attach` use it.
 *
 * There is one writer. A value that is not slow enough costs one comparison.
 */
#ifndef TW_COLLECT_SLOWEST_H
#define TW_COLLECT_SLOWEST_H

#include <stddef.h>
#include <stdint.h>

#define TW_SLOWEST_MAX	100000

/* The head of a record: the value that orders the records. The caller's data follow. */
struct tw_slow {
	uint64_t value;
};

struct tw_slowest {
	unsigned char *slots;		/* [most] of slot_bytes */
	size_t slot_bytes;
	uint32_t count;
	uint32_t most;
	uint64_t least;			/* the smallest value that is kept */
};

/* Make an empty list, which keeps @most records, 0 to TW_SLOWEST_MAX, of @slot_bytes each. A record
 * begins with a struct tw_slow. Release the list with tw_slowest_free(). Return 0 or -ENOMEM. */
int tw_slowest_init(struct tw_slowest *slowest, uint32_t most, size_t slot_bytes);
void tw_slowest_free(struct tw_slowest *slowest);

/* Forget all values. */
static inline void tw_slowest_forget(struct tw_slowest *slowest)
{
	slowest->count = 0;
	/* A list for no values wants none, not even the largest. */
	slowest->least = slowest->most ? 0 : UINT64_MAX;
}

/* True if @value would be kept. Of equal values, those that came first stay. */
static inline int tw_slowest_wants(const struct tw_slowest *slowest,
				   uint64_t value)
{
	return value >= slowest->least;
}

/* Keep a copy of @record. Call this only if tw_slowest_wants() its value. */
void tw_slowest_add(struct tw_slowest *slowest, const struct tw_slow *record);

/* Sort the records, the slowest first. No record can be added afterwards. */
void tw_slowest_sort(struct tw_slowest *slowest);
const struct tw_slow *tw_slowest_get(const struct tw_slowest *slowest,
				     uint32_t i);

#endif
