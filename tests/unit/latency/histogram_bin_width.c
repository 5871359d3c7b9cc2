/* SPDX-License-Identifier: MIT */
/*
 * With d digits no bin is wider than 10^-d of any value in it, and the bits are the
 * fewest that give this. Fails if the bits are rounded down (2^3 for one digit) or
 * up by too much (four times the memory).
 */
#include <errno.h>
#include <math.h>

#include "latency/histogram.h"
#include "tap.h"
#include "tickwise.h"

static void check_digits(unsigned digits, uint64_t power)
{
	struct tw_histogram histogram;
	uint64_t wide = 0;

	if (!tap_ok(!tw_histogram_init(&histogram, digits), "init"))
		return;
	tap_ok(1ULL << histogram.bits >= power, "%u digits: enough bits",
	       digits);
	tap_ok(1ULL << (histogram.bits - 1) < power, "%u digits: not too many",
	       digits);
	for (uint32_t bin = 0; bin < histogram.bin_count; bin++) {
		uint64_t low = tw_histogram_bin_low(&histogram, bin);
		uint64_t high = tw_histogram_bin_high(&histogram, bin);

		/* A bin of one value has no error at all. */
		wide += high != low && (high - low + 1) > low / power;
	}
	tap_is_u64(wide, 0, "no bin wider than 10^-digits of its lower edge");
	tw_histogram_free(&histogram);
}

int main(void)
{
	struct tw_histogram histogram;
	uint64_t power = 1;

	for (unsigned digits = 1; digits <= 5; digits++)
		check_digits(digits, power *= 10);
	tap_ok(tw_histogram_init(&histogram, 0) == -EINVAL, "0 digits refused");
	tap_ok(tw_histogram_init(&histogram, 6) == -EINVAL, "6 digits refused");
	return tap_done();
}
