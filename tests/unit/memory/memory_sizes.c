/* SPDX-License-Identifier: MIT */
/*
 * The sizes of a curve: both ends, a number of sizes for every doubling, and the
 * caches' sizes of sysfs, each once and in whole units. Fails if the known end of a
 * cache falls between two sizes.
 *
 * Also on other processors.
 */
#include <errno.h>

#include "memory/curve.h"
#include "tap.h"

static const struct tw_cache caches[] = {
	{ .level = 1, .bytes = 48 << 10 }, { .level = 2, .bytes = 2 << 20 },
	{ .level = 3, .bytes = (size_t)260 << 20 },
};

static int has(const size_t *sizes, int count, size_t bytes)
{
	for (int i = 0; i < count; i++)
		if (sizes[i] == bytes)
			return 1;
	return 0;
}

static void check_usual(void)
{
	size_t sizes[TW_SWEEP_SIZES];
	int count = tw_sweep_sizes(sizes, 4096, (size_t)1 << 30, 4, caches, 3,
				   64);
	int rising = 1, whole = 1, close = 1;

	/* 18 doublings by 4, the last one, and 48K and 260M between. 2M is one
	 * of the steps. */
	tap_is_u64((uint64_t)count, 18 * 4 + 1 + 2, "75 sizes");
	tap_ok(sizes[0] == 4096 && sizes[count - 1] == (size_t)1 << 30,
	       "from the first to the last");
	for (int i = 0; i < count; i++) {
		whole &= sizes[i] % 64 == 0;
		if (!i)
			continue;
		rising &= sizes[i] > sizes[i - 1];
		/* A quarter of an octave, and a unit of rounding. */
		close &= (double)sizes[i] <= (double)sizes[i - 1] * 1.1893 + 64;
	}
	tap_ok(rising && whole, "rising, in whole units");
	tap_ok(close, "no step is wider than a quarter of an octave");
	tap_ok(has(sizes, count, 48 << 10) && has(sizes, count, 2 << 20) &&
	       has(sizes, count, (size_t)260 << 20), "every cache");
}

static void check_corners(void)
{
	size_t sizes[TW_SWEEP_SIZES];
	int count = tw_sweep_sizes(sizes, 8192, 8192, 4, caches, 3, 64);

	tap_ok(count == 1 && sizes[0] == 8192, "one size alone");
	count = tw_sweep_sizes(sizes, 4096, 4160, 16, NULL, 0, 4096);
	tap_ok(count == 1 && sizes[0] == 4096, "doubles are left out");
	tap_ok(tw_sweep_sizes(sizes, 0, 4096, 4, NULL, 0, 64) == -EINVAL &&
	       tw_sweep_sizes(sizes, 8192, 4096, 4, NULL, 0, 64) == -EINVAL &&
	       tw_sweep_sizes(sizes, 4096, 8192, 0, NULL, 0, 64) == -EINVAL &&
	       tw_sweep_sizes(sizes, 4096, 8192, 17, NULL, 0, 64) == -EINVAL &&
	       tw_sweep_sizes(sizes, 4096, 8192, 4, NULL, 0, 0) == -EINVAL,
	       "what is no range is refused");
	tap_ok(tw_sweep_sizes(sizes, 4096, (size_t)1 << 46, 16, NULL, 0,
			      64) == -EINVAL, "more sizes than there is room");
}

int main(void)
{
	check_usual();
	check_corners();
	return tap_done();
}
