/* SPDX-License-Identifier: MIT */
/*
 * Count, sum, minimum, maximum and mean are those of the values, not of bins, and a
 * reset histogram is as good as a new one. Fails if one of them is taken from bin
 * edges, or if a reset leaves a count or an extreme.
 *
 * Also on other processors.
 */
#include "latency/histogram.h"
#include "tap.h"
#include "tickwise.h"

static void check_empty(const struct tw_histogram *histogram, const char *which)
{
	uint64_t counted = 0;

	for (uint32_t bin = 0; bin < histogram->bin_count; bin++)
		counted += histogram->bins[bin];
	tap_note("%s", which);
	tap_is_u64(counted + histogram->count + histogram->sum_ns, 0,
		   "nothing counted");
	tap_ok(histogram->min_ns == UINT64_MAX && histogram->max_ns == 0,
	       "no extremes");
	tap_is_u64(tw_histogram_percentile(histogram, 50), 0, "median 0");
	tap_ok(tw_histogram_mean_ns(histogram) <= 0 &&
	       tw_histogram_stddev_ns(histogram) <= 0, "mean, stddev 0");
}

int main(void)
{
	uint64_t state = tap_seed();
	uint64_t min = UINT64_MAX, max = 0, sum = 0, counted = 0;
	struct tw_histogram histogram;
	double mean;

	if (!tap_ok(!tw_histogram_init(&histogram, 1), "init"))
		return tap_done();
	check_empty(&histogram, "new");
	for (int i = 0; i < 10000; i++) {
		uint64_t value = 1000003 + tap_random(&state) % 90000001;

		tw_histogram_add(&histogram, value);
		sum += value;
		min = value < min ? value : min;
		max = value > max ? value : max;
	}
	for (uint32_t bin = 0; bin < histogram.bin_count; bin++)
		counted += histogram.bins[bin];
	tap_is_u64(histogram.count, 10000, "count");
	tap_is_u64(counted, 10000, "count in all bins");
	tap_is_u64(histogram.sum_ns, sum, "sum");
	tap_is_u64(histogram.min_ns, min, "minimum");
	tap_is_u64(histogram.max_ns, max, "maximum");
	/* sum < 2^53, so both sides round the same quotient once. */
	mean = tw_histogram_mean_ns(&histogram);
	tap_ok(!(mean < (double)sum / 10000) && !(mean > (double)sum / 10000),
	       "mean");
	tap_is_u64(tw_histogram_percentile(&histogram, 0), min,
		   "percentile 0 is the minimum");
	tap_is_u64(tw_histogram_percentile(&histogram, 100), max,
		   "percentile 100 is the maximum");
	tw_histogram_reset(&histogram);
	check_empty(&histogram, "reset");
	tw_histogram_free(&histogram);
	tw_histogram_free(&histogram);
	tap_ok(histogram.bins == NULL, "freed twice, no harm");
	return tap_done();
}
