/* SPDX-License-Identifier: MIT */
/*
 * A merged histogram is bit for bit the one that all values would have made, and a
 * refused merge leaves both as they were. Fails if merging drops the first or last
 * bin, mixes resolutions, or lets a count wrap.
 */
#include <errno.h>
#include <string.h>

#include "latency/histogram.h"
#include "tap.h"
#include "tickwise.h"

static struct tw_histogram parts[3], all, merged, other, coarse, should;

static int same(const struct tw_histogram *a, const struct tw_histogram *b)
{
	return a->count == b->count && a->sum_ns == b->sum_ns &&
	       a->squares_ns2[0] == b->squares_ns2[0] &&
	       a->squares_ns2[1] == b->squares_ns2[1] &&
	       a->min_ns == b->min_ns && a->max_ns == b->max_ns &&
	       memcmp(a->bins, b->bins, a->bin_count * sizeof(*a->bins)) == 0;
}

static void fill(uint64_t *state)
{
	for (int i = 0; i < 30000; i++) {
		uint64_t random = tap_random(state);
		/* 20 bits to 50, parts overlapping: the sums fit 64 bits */
		uint64_t value = random >> (14 + random % 31);

		tw_histogram_add(&parts[random % 2], value);
		tw_histogram_add(&all, value);
		tw_histogram_add(&should, value);
	}
}

static void check_refusals(void)
{
	struct tw_histogram before = merged;

	tw_histogram_add(&other, 5);
	tap_ok(tw_histogram_merge(&merged, &other) == -EINVAL,
	       "unlike digits are refused");
	tap_ok(tw_histogram_merge(&other, &merged) == -EINVAL,
	       "also the other way round");
	parts[2].min_ns = 0;
	tap_ok(!tw_histogram_add_bin(&parts[2], 0, UINT64_MAX - 5),
	       "a histogram of nearly 2^64 zeros");
	tap_ok(tw_histogram_add_bin(&parts[2], 0, 6) == -EOVERFLOW,
	       "counting beyond 2^64 - 1 is refused");
	tap_ok(tw_histogram_add_bin(&parts[2], parts[2].bin_count, 1) ==
	       -EINVAL, "a bin behind the last is refused");
	tap_ok(tw_histogram_merge(&merged, &parts[2]) == -EOVERFLOW,
	       "merging beyond 2^64 - 1 is refused");
	tw_histogram_reset(&parts[2]);
	tw_histogram_add(&parts[2], UINT64_MAX - merged.sum_ns + 1);
	tap_ok(tw_histogram_merge(&merged, &parts[2]) == -EOVERFLOW,
	       "a sum beyond 2^64 - 1 is refused");
	tap_ok(memcmp(&before, &merged, sizeof(before)) == 0 &&
	       same(&merged, &all), "nothing changed by what was refused");
}

/* A histogram of 2 digits, merged from parts of 3. */
static void check_finer(void)
{
	int error = 0;

	for (int i = 0; i < 3; i++)
		error |= tw_histogram_add_finer(&coarse, &parts[i]);
	tap_ok(!error, "parts of more digits added");
	tap_ok(same(&coarse, &should), "the same as adding all values with fewer digits");
}

int main(void)
{
	uint64_t state = tap_seed();
	int error = tw_histogram_init(&all, 3) |
		    tw_histogram_init(&merged, 3) |
		    tw_histogram_init(&other, 2) |
		    tw_histogram_init(&coarse, 2) |
		    tw_histogram_init(&should, 2);

	for (int i = 0; i < 3; i++)
		error |= tw_histogram_init(&parts[i], 3);
	if (!tap_ok(!error, "init"))
		return tap_done();
	fill(&state);
	for (int i = 0; i < 3; i++)
		error |= tw_histogram_merge(&merged, &parts[i]);
	tap_ok(!error, "two parts and an empty one merged");
	tap_ok(same(&merged, &all), "the same as adding all values");
	check_finer();
	check_refusals();
	for (int i = 0; i < 3; i++)
		tw_histogram_free(&parts[i]);
	tw_histogram_free(&all);
	tw_histogram_free(&merged);
	tw_histogram_free(&other);
	tw_histogram_free(&coarse);
	tw_histogram_free(&should);
	return tap_done();
}
