/* SPDX-License-Identifier: MIT */
/*
 * A percentile is the value at that place of the sorted list: never below it, above
 * it by less than its bin's width. Fails if the rank is off by one, as it is for
 * 99.9 % of 1000 in plain doubles. Fails also if the lower edge is given, or if an
 * answer lies outside what was counted, or if the percentiles of one pass differ.
 */
#include <stdlib.h>

#include "latency/histogram.h"
#include "tap.h"
#include "tickwise.h"

#define VALUES	20000
#define PERCENTS	(sizeof(thousandths) / sizeof(*thousandths))

static uint64_t values[VALUES];

/* Percentages in thousandths, so that the right rank is whole arithmetic. */
static const uint64_t thousandths[] = {
	0, 1, 100, 1000, 5000, 10000, 25000, 33333, 50000, 75000, 90000, 95000,
	99000, 99500, 99900, 99950, 99990, 99999, 100000,
};

static int ascending(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return a < b ? -1 : a > b;
}

static uint64_t value_at(uint64_t percent_thousandths, uint64_t count)
{
	uint64_t rank = (percent_thousandths * count + 99999) / 100000;

	return values[rank ? rank - 1 : 0];
}

static void check_list(const struct tw_histogram *histogram, uint64_t count)
{
	uint64_t wrong = 0;

	for (size_t i = 0; i < PERCENTS; i++) {
		uint64_t true_ns = value_at(thousandths[i], count);
		uint64_t ns = tw_histogram_percentile(histogram,
					(double)thousandths[i] / 1000);
		uint32_t bin = tw__histogram_bin(histogram, true_ns);

		wrong += ns < true_ns || ns > values[count - 1] ||
			 tw__histogram_bin(histogram, ns) != bin;
	}
	tap_is_u64(wrong, 0, "all percentiles in the right value's bin");
}

/* In one pass they are what they are one by one. */
static void check_pass(const struct tw_histogram *histogram)
{
	double percents[PERCENTS];
	uint64_t all_ns[PERCENTS], wrong = 0;

	for (size_t i = 0; i < PERCENTS; i++)
		percents[i] = (double)thousandths[i] / 1000;
	tw_histogram_percentiles(histogram, percents, all_ns, PERCENTS);
	for (size_t i = 0; i < PERCENTS; i++)
		wrong += all_ns[i] != tw_histogram_percentile(histogram, percents[i]);
	tap_is_u64(wrong, 0, "all in one pass are the same");
}

static void check_random(unsigned digits, uint64_t count, uint64_t *state)
{
	struct tw_histogram histogram;

	if (!tap_ok(!tw_histogram_init(&histogram, digits),
		    "%u digits, %" PRIu64 " values", digits, count))
		return;
	for (uint64_t i = 0; i < count; i++) {
		uint64_t random = tap_random(state);

		values[i] = random >> (random % 50 + 12);
		tw_histogram_add(&histogram, values[i]);
	}
	qsort(values, count, sizeof(*values), ascending);
	check_list(&histogram, count);
	check_pass(&histogram);
	tw_histogram_free(&histogram);
}

/* 1 to 1000 have a bin each with 3 digits: any wrong rank shows. */
static void check_ranks(void)
{
	struct tw_histogram histogram;
	uint64_t wrong = 0;

	if (!tap_ok(!tw_histogram_init(&histogram, 3), "the values 1 to 1000"))
		return;
	for (uint64_t value = 1; value <= 1000; value++)
		tw_histogram_add(&histogram, value);
	for (uint64_t tenths = 1; tenths <= 1000; tenths++)
		wrong += tw_histogram_percentile(&histogram,
					(double)tenths / 10) != tenths;
	tap_is_u64(wrong, 0, "0.1 to 100.0 % are 1 to 1000");
	tap_is_u64(tw_histogram_percentile(&histogram, 99.90001), 1000,
		   "a little over 99.9 % is the next value");
	tap_is_u64(tw_histogram_percentile(&histogram, -1), 1,
		   "below 0 % is the minimum");
	tap_is_u64(tw_histogram_percentile(&histogram, 101), 1000,
		   "above 100 % is the maximum");
	tw_histogram_free(&histogram);
}

/*
 * For values that share a wide bin, a percentage that is too small for any rank
 * gives the minimum.
 */
static void check_least(void)
{
	struct tw_histogram histogram;

	if (!tap_ok(!tw_histogram_init(&histogram, 3), "1500000 and 1500001"))
		return;
	tw_histogram_add(&histogram, 1500000);
	tw_histogram_add(&histogram, 1500001);
	tap_is_u64(tw_histogram_percentile(&histogram, 1e-10), 1500000,
		   "10^-10 % is the minimum");
	tw_histogram_free(&histogram);
}

int main(void)
{
	uint64_t state = tap_seed();

	check_ranks();
	check_least();
	for (unsigned digits = 1; digits <= 5; digits += 2) {
		check_random(digits, 1, &state);
		check_random(digits, 997, &state);
		check_random(digits, VALUES, &state);
	}
	return tap_done();
}
