/* SPDX-License-Identifier: MIT */
/*
 * Slices of lat hold every value once, in order, are no wider than an eighth of the
 * values in them, and share no bin of a histogram. Fails if a bound is off by one,
 * if the largest values have no slice, or if slices and bins end at different
 * values.
 */
#include "latency/histogram.h"
#include "latency/slices.h"
#include "tap.h"

static void check_bounds(void)
{
	uint64_t next = 0;
	int wrong = 0, wide = 0;

	for (unsigned slice = 0; slice < TW_LAT_SLICES; slice++) {
		uint64_t low = tw_lat_slice_low(slice), high = tw_lat_slice_high(slice);

		wrong += low != next || high < low || tw_lat_slice(low) != slice ||
			 tw_lat_slice(high) != slice;
		wide += high - low > low / 8;
		next = high + 1;
	}
	tap_ok(!wrong, "each slice begins after the one before, and has its own values");
	tap_ok(!wide, "none is wider than an eighth");
	tap_ok(next == 0, "the last one ends with the largest value");
}

static void check_bins(unsigned digits)
{
	struct tw_histogram histogram;
	uint64_t low = 0;
	int wrong = 0;

	if (tw_histogram_init(&histogram, digits)) {
		tap_ok(0, "memory");
		return;
	}
	for (uint32_t bin = 0; bin < histogram.bin_count; bin++) {
		uint64_t high = tw_histogram_bin_high(&histogram, bin);

		wrong += tw_lat_slice(low) != tw_lat_slice(high);
		low = high + 1;
	}
	tap_ok(!wrong, "no bin of %u digits is in two slices", digits);
	tw_histogram_free(&histogram);
}

int main(void)
{
	check_bounds();
	for (unsigned digits = 1; digits <= 5; digits++)
		check_bins(digits);
	return tap_done();
}
