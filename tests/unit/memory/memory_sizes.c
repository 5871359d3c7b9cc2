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

static void check_usual(void)
{
	size_t sizes[TW_SWEEP_SIZES];
	int count = tw_sweep_sizes(sizes, 4096, (size_t)1 << 30, 4, caches, 3, 64);
	int good = 1, known = 0;

	/* 18 doublings by 4, the last one, and 48K and 260M between. 2M is one of the steps. */
	tap_ok(count == 18 * 4 + 1 + 2 && sizes[0] == 4096 &&
	       sizes[count - 1] == (size_t)1 << 30, "75 sizes, from the first to the last");
	for (int i = 0; i < count; i++) {
		/* A quarter of an octave, and a unit of rounding. */
		good &= sizes[i] % 64 == 0 && (!i || (sizes[i] > sizes[i - 1] &&
			(double)sizes[i] <= (double)sizes[i - 1] * 1.1893 + 64));
		for (int j = 0; j < 3; j++)
			known += sizes[i] == caches[j].bytes;
	}
	tap_ok(good, "rising, in whole units, no step wider than a quarter of an octave");
	tap_ok(known == 3, "every cache");
}

int main(void)
{
	static const struct {
		size_t from, to;
		unsigned per_octave;
		size_t unit;
		int count;
		const char *what;
	} cases[] = {
		{ 8192, 8192, 4, 64, 1, "one size alone" },
		{ 4096, 4160, 16, 4096, 1, "doubles are left out" },
		{ 0, 4096, 4, 64, -EINVAL, "from nothing" },
		{ 8192, 4096, 4, 64, -EINVAL, "falling" },
		{ 4096, 8192, 0, 64, -EINVAL, "no step" },
		{ 4096, 8192, 17, 64, -EINVAL, "17 steps" },
		{ 4096, 8192, 16, 64, 17, "16 steps" },
		{ 4096, 8192, 4, 0, -EINVAL, "no unit" },
		{ 4096, (size_t)1 << 46, 16, 64, -EINVAL, "more sizes than there is room" },
	};
	size_t sizes[TW_SWEEP_SIZES];

	check_usual();
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		int count = tw_sweep_sizes(sizes, cases[i].from, cases[i].to, cases[i].per_octave,
					   caches, 3, cases[i].unit);

		tap_ok(count == cases[i].count && (count < 0 || sizes[0] == cases[i].from),
		       "%s: %d", cases[i].what, count);
	}
	return tap_done();
}
