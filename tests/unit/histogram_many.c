/* SPDX-License-Identifier: MIT */
/*
 * Counting an array leaves bit for bit what counting its values one by one
 * leaves. Fails if the first or last value is left out, if the sum or an
 * extreme starts anew with each array, or if the empty array changes anything.
 */
#include <string.h>

#include "tap.h"
#include "tickwise.h"

#define MOST	300

static struct tw_histogram single, many;

static int same(void)
{
	return single.count == many.count && single.sum_ns == many.sum_ns &&
	       single.min_ns == many.min_ns && single.max_ns == many.max_ns &&
	       memcmp(single.bins, many.bins,
		      single.bin_count * sizeof(*single.bins)) == 0;
}

static void add(const uint64_t *values_ns, size_t count)
{
	for (size_t i = 0; i < count; i++)
		tw_histogram_add(&single, values_ns[i]);
	tw_histogram_add_many(&many, values_ns, count);
}

static int random_arrays(uint64_t *state)
{
	uint64_t values_ns[MOST];

	for (int round = 0; round < 300; round++) {
		size_t count = tap_random(state) % (MOST + 1);

		/* 10 bits to 64; the sum may wrap in both alike */
		for (size_t i = 0; i < count; i++) {
			uint64_t random = tap_random(state);

			values_ns[i] = random >> (random % 55);
		}
		add(values_ns, count);
		if (!same())
			return round + 1;
	}
	return 0;
}

int main(void)
{
	static const uint64_t edges_ns[] = {
		7, 0, UINT64_MAX, 1, 1023, 1024, 2047, 2048, 1ULL << 63, 5,
	};
	uint64_t state = tap_seed();
	int error = tw_histogram_init(&single, 3) |
		    tw_histogram_init(&many, 3);

	if (!tap_ok(!error, "init"))
		return tap_done();
	add(NULL, 0);
	tap_ok(same() && many.min_ns == UINT64_MAX && many.count == 0,
	       "no values: still empty");
	add(edges_ns, 1);
	tap_ok(same() && many.min_ns == 7 && many.max_ns == 7, "one value");
	add(edges_ns, sizeof(edges_ns) / sizeof(*edges_ns));
	tap_ok(same() && many.min_ns == 0 && many.max_ns == UINT64_MAX,
	       "edges of bins and of 64 bits");
	tap_ok(random_arrays(&state) == 0,
	       "300 arrays of up to %d random values", MOST);
	tw_histogram_free(&single);
	tw_histogram_free(&many);
	return tap_done();
}
