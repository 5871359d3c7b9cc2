/* SPDX-License-Identifier: MIT */
/*
 * Every value lies between the edges of the bin it is counted in, and bins
 * follow each other without gap or overlap, 0 to 2^64-1. Fails if an octave's
 * first or last bin is off by one, or if a shift drops the top bit.
 *
 * Also on other processors.
 */
#include "latency/histogram.h"
#include "tap.h"
#include "tickwise.h"

static uint64_t misplaced(const struct tw_histogram *histogram, uint64_t value)
{
	uint32_t bin = tw__histogram_bin(histogram, value);

	return bin >= histogram->bin_count ||
	       tw_histogram_bin_low(histogram, bin) > value ||
	       tw_histogram_bin_high(histogram, bin) < value;
}

static void check_values(const struct tw_histogram *histogram, uint64_t *state)
{
	uint64_t wrong = misplaced(histogram, 0) +
			 misplaced(histogram, UINT64_MAX);

	for (unsigned k = 0; k < 64; k++)
		for (int off = -1; off <= 1; off++)
			wrong += misplaced(histogram,
					   (UINT64_C(1) << k) + (uint64_t)off);
	tap_is_u64(wrong, 0, "0, 2^k - 1, 2^k, 2^k + 1, 2^64 - 1");
	wrong = 0;
	for (int i = 0; i < 100000; i++) {
		uint64_t value = tap_random(state);

		wrong += misplaced(histogram, value >> (i & 63));
	}
	tap_is_u64(wrong, 0, "100000 random values of all magnitudes");
}

static void check_chain(const struct tw_histogram *histogram)
{
	uint64_t wrong = tw_histogram_bin_low(histogram, 0) != 0;
	uint32_t last = histogram->bin_count - 1;

	for (uint32_t bin = 0; bin < last; bin++)
		wrong += tw_histogram_bin_high(histogram, bin) + 1 !=
			 tw_histogram_bin_low(histogram, bin + 1);
	tap_is_u64(wrong, 0, "each bin begins where the one before ends");
	tap_is_u64(tw_histogram_bin_high(histogram, last), UINT64_MAX,
		   "the last bin ends at 2^64 - 1");
}

int main(void)
{
	uint64_t state = tap_seed();

	for (unsigned digits = 1; digits <= 5; digits++) {
		struct tw_histogram histogram;

		tap_note("%u digits", digits);
		if (!tap_ok(!tw_histogram_init(&histogram, digits), "init"))
			continue;
		check_values(&histogram, &state);
		check_chain(&histogram);
		tw_histogram_free(&histogram);
	}
	return tap_done();
}
