/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The slowest of a stream of values, up to a number of them: a heap with the fastest
 * of them at its root. For the engines and `tickwise attach`.
 *
 * One writer. What is not slow enough costs one comparison.
 */
#ifndef TW_COLLECT_SLOWEST_H
#define TW_COLLECT_SLOWEST_H

#include <stddef.h>
#include <stdint.h>

#define TW_SLOWEST_MAX	100000

/* The value, by which they are ordered, then whatever belongs to it. */
struct tw_slow {
	uint64_t value;
};

struct tw_slowest {
	unsigned char *slots;		/* [most] of slot_bytes */
	size_t slot_bytes;
	uint32_t count;
	uint32_t most;
	uint64_t least;			/* not slow enough below this */
};

/**
 * tw_slowest_init - an empty list
 * @slowest: release with tw_slowest_free()
 * @most: how many are kept, 0 to TW_SLOWEST_MAX; 0 keeps none
 * @slot_bytes: size of a record that begins with a struct tw_slow
 *
 * Return: 0; -EINVAL; -ENOMEM.
 */
int tw_slowest_init(struct tw_slowest *slowest, uint32_t most,
		    size_t slot_bytes);
void tw_slowest_free(struct tw_slowest *slowest);

/* Would @value be kept? Among equal ones the first come stay. */
static inline int tw_slowest_wants(const struct tw_slowest *slowest,
				   uint64_t value)
{
	return value >= slowest->least;
}

/* Keep a copy of @record, which tw_slowest_wants(). */
void tw_slowest_add(struct tw_slowest *slowest, const struct tw_slow *record);

/* The slowest first; the list can take no more afterwards. */
void tw_slowest_sort(struct tw_slowest *slowest);
const struct tw_slow *tw_slowest_get(const struct tw_slowest *slowest,
				     uint32_t i);

#endif
