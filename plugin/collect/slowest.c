/* SPDX-License-Identifier: GPL-2.0 */
/* The slowest N values of a stream: see slowest.h. */
#include "collect/slowest.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"

int tw_slowest_init(struct tw_slowest *slowest, uint32_t most, size_t slot_bytes)
{
	*slowest = (struct tw_slowest) {
		.slots = calloc(most ? most : 1, slot_bytes),
		.slot_bytes = slot_bytes,
		.most = most,
	};
	tw_slowest_forget(slowest);
	return slowest->slots ? 0 : -ENOMEM;
}

void tw_slowest_free(struct tw_slowest *slowest)
{
	free(slowest->slots);
	*slowest = (struct tw_slowest) { .least = UINT64_MAX };
}

const struct tw_slow *tw_slowest_get(const struct tw_slowest *slowest,
				     uint32_t i)
{
	return (const struct tw_slow *)(const void *)(slowest->slots +
						      i * slowest->slot_bytes);
}

static void put(struct tw_slowest *slowest, uint32_t i,
		const struct tw_slow *record)
{
	memcpy(slowest->slots + i * slowest->slot_bytes, record, slowest->slot_bytes);
}

/* Put @record into the free place at the end of the heap, and move it up until its
 * parent is faster. */
static void sift_up(struct tw_slowest *slowest, const struct tw_slow *record)
{
	uint32_t i = slowest->count++;

	while (i && tw_slowest_get(slowest, (i - 1) / 2)->value > record->value) {
		put(slowest, i, tw_slowest_get(slowest, (i - 1) / 2));
		i = (i - 1) / 2;
	}
	put(slowest, i, record);
}

/* Put @record into the free place at the root of the heap, and move it down until no
 * child is faster. */
static void sift_down(struct tw_slowest *slowest, const struct tw_slow *record)
{
	uint32_t i = 0, child;

	while ((child = 2 * i + 1) < slowest->count) {
		if (child + 1 < slowest->count &&
		    tw_slowest_get(slowest, child + 1)->value <
		    tw_slowest_get(slowest, child)->value)
			child++;
		if (tw_slowest_get(slowest, child)->value >= record->value)
			break;
		put(slowest, i, tw_slowest_get(slowest, child));
		i = child;
	}
	put(slowest, i, record);
}

void tw_slowest_add(struct tw_slowest *slowest, const struct tw_slow *record)
{
	if (!tw_slowest_wants(slowest, record->value) || !slowest->most)
		return;
	if (slowest->count < slowest->most)
		sift_up(slowest, record);
	else
		sift_down(slowest, record);
	/* A full list wants only values slower than the fastest in it. */
	if (slowest->count == slowest->most) {
		uint64_t fastest = tw_slowest_get(slowest, 0)->value;

		slowest->least = fastest == UINT64_MAX ? fastest : fastest + 1;
	}
}

void tw_slowest_sort(struct tw_slowest *slowest)
{
	qsort(slowest->slots, slowest->count, slowest->slot_bytes, tw_descending);
	slowest->least = UINT64_MAX;
	slowest->most = slowest->count;
}
