/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tests: plugin/collect
 *
 * The slowest list has exactly the largest of a stream, with their data, in any
 * order of arrival; of equal ones the first. Fails if the heap loses one, keeps a
 * fast one, or mixes two records up.
 */
#include <stdlib.h>

#include "collect/slowest.h"
#include "tap.h"

struct record {
	struct tw_slow slow;
	uint64_t number;
	uint64_t check;
};

static int larger_first(const void *a, const void *b)
{
	uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

	return (left < right) - (left > right);
}

#define VALUES	5000

static uint64_t values[VALUES], sorted[VALUES];

static int keeps_the_largest(uint32_t most, uint32_t count)
{
	struct tw_slowest slowest;
	uint32_t i, kept = count < most ? count : most, wrong = 0;

	if (tw_slowest_init(&slowest, most, sizeof(struct record)))
		return 0;
	for (i = 0; i < count; i++) {
		struct record record = { { values[i] }, i, ~values[i] };

		if (tw_slowest_wants(&slowest, values[i]))
			tw_slowest_add(&slowest, &record.slow);
		sorted[i] = values[i];
	}
	qsort(sorted, count, sizeof(sorted[0]), larger_first);
	wrong += slowest.count != kept;
	tw_slowest_sort(&slowest);
	for (i = 0; i < slowest.count; i++) {
		const struct record *record = (const struct record *)
			(const void *)tw_slowest_get(&slowest, i);

		wrong += record->slow.value != sorted[i] ||
			 record->check != ~sorted[i] ||
			 values[record->number] != sorted[i];
	}
	tw_slowest_free(&slowest);
	return wrong == 0;
}

static void fill(uint64_t *random, int kind)
{
	for (uint32_t i = 0; i < VALUES; i++)
		values[i] = kind == 0 ? tap_random(random) :
			    kind == 1 ? tap_random(random) % 50 :
			    kind == 2 ? i : VALUES - i;
	if (kind == 0)
		values[7] = values[8] = UINT64_MAX;
}

int main(void)
{
	static const char *const kinds[] = {
		"random", "many equal", "rising", "falling",
	};
	uint64_t random = tap_seed();
	struct record first = { { 5 }, 1, 0 }, second = { { 5 }, 2, 0 };
	struct tw_slowest slowest;
	int kind;

	for (kind = 0; kind < 4; kind++) {
		fill(&random, kind);
		tap_ok(keeps_the_largest(1, VALUES) &&
		       keeps_the_largest(2, VALUES) &&
		       keeps_the_largest(100, VALUES) &&
		       keeps_the_largest(VALUES, VALUES) &&
		       keeps_the_largest(VALUES, 10) &&
		       keeps_the_largest(0, VALUES), "%s", kinds[kind]);
	}
	tw_slowest_init(&slowest, 1, sizeof(first));
	tw_slowest_add(&slowest, &first.slow);
	tw_slowest_add(&slowest, &second.slow);
	tap_is_u64(((const struct record *)(const void *)
		    tw_slowest_get(&slowest, 0))->number, 1,
		   "of equal ones the first");
	tw_slowest_free(&slowest);
	return tap_done();
}
