/* SPDX-License-Identifier: MIT */
/*
 * The histogram. Every value lies between the edges of the bin it is counted in, bins follow
 * each other without gap or overlap, and none is wider than the digits allow. Count, sum,
 * minimum, maximum, mean and deviation are those of the values, not of bins. A percentile is
 * the value at that place of the sorted list: never below it, above it by less than its
 * bin's width. A merged histogram is bit for bit the one that all values would have made.
 * One of 5 digits spans 50 MB and costs only the pages that values fall into. Slices of lat
 * hold every value once, and share no bin.
 *
 * Fails if an octave's first or last bin is off by one, if a shift drops the top bit, or if a
 * reset leaves a count. Fails if a rank is off by one, as it is for 99.9 % of 1000 in plain
 * doubles. Fails if the deviation is a difference of large squares in doubles, which leaves
 * nothing of 100 ns around an hour. Fails also if a refused merge changes something.
 *
 * Also on other processors.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "counter/state.h"
#include "latency/histogram.h"
#include "latency/slices.h"
#include "tap.h"

#define VALUES		20000
#define FAR_NS		(UINT64_C(1) << 42)	/* 73 minutes */

static uint64_t seed, values[VALUES];

static struct tw_histogram made(unsigned digits)
{
	struct tw_histogram histogram;

	if (tw_histogram_init(&histogram, digits))
		exit(1);
	return histogram;
}

/* ---- bins ---- */

static uint64_t misplaced(const struct tw_histogram *histogram, uint64_t value)
{
	uint32_t bin = tw__histogram_bin(histogram, value);

	return bin >= histogram->bin_count ||
	       tw_histogram_bin_low(histogram, bin) > value ||
	       tw_histogram_bin_high(histogram, bin) < value;
}

static void bins(unsigned digits, uint64_t power)
{
	struct tw_histogram histogram = made(digits);
	uint64_t wrong = misplaced(&histogram, 0) + misplaced(&histogram, UINT64_MAX);
	uint64_t next = 0, gaps = 0, wide = 0, shared = 0;

	for (unsigned k = 0; k < 64; k++)
		for (int off = -1; off <= 1; off++)
			wrong += misplaced(&histogram, (UINT64_C(1) << k) + (uint64_t)off);
	for (int i = 0; i < 100000; i++)
		wrong += misplaced(&histogram, tap_random(&seed) >> (i & 63));
	tap_note("%u digits", digits);
	tap_is_u64(wrong, 0, "values of all magnitudes are in their bins");
	for (uint32_t bin = 0; bin < histogram.bin_count; bin++) {
		uint64_t low = tw_histogram_bin_low(&histogram, bin);
		uint64_t high = tw_histogram_bin_high(&histogram, bin);

		gaps += low != next;
		/* A bin of one value has no error at all. */
		wide += high != low && high - low + 1 > low / power;
		shared += tw_lat_slice(low) != tw_lat_slice(high);
		next = high + 1;
	}
	tap_ok(!gaps && next == 0, "bins follow each other, 0 to 2^64 - 1");
	tap_ok(!wide && 1ULL << (histogram.bits - 1) < power,
	       "none is wider than 10^-digits of its lower edge, with the fewest bits");
	tap_is_u64(shared, 0, "no bin is in two slices of lat");
	tw_histogram_free(&histogram);
}

static void slices(void)
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
	tap_ok(!wrong && next == 0, "slices follow each other, up to the largest value");
	tap_ok(!wide, "none is wider than an eighth");
}

/* ---- exact numbers ---- */

static void is_empty(const struct tw_histogram *histogram, const char *which)
{
	uint64_t counted = 0;

	for (uint32_t bin = 0; bin < histogram->bin_count; bin++)
		counted += histogram->bins[bin];
	tap_ok(!(counted + histogram->count + histogram->sum_ns) &&
	       histogram->min_ns == UINT64_MAX && histogram->max_ns == 0 &&
	       tw_histogram_percentile(histogram, 50) == 0 &&
	       tw_histogram_mean_ns(histogram) <= 0 && tw_histogram_stddev_ns(histogram) <= 0,
	       "%s: nothing counted, no extremes, median, mean and deviation 0", which);
}

static void exact(void)
{
	uint64_t min = UINT64_MAX, max = 0, sum = 0, counted = 0;
	struct tw_histogram histogram = made(1);
	double mean;

	tap_ok(tw_histogram_init(&histogram, 0) == -EINVAL &&
	       tw_histogram_init(&histogram, 6) == -EINVAL, "0 and 6 digits refused");
	is_empty(&histogram, "new");
	for (int i = 0; i < 10000; i++) {
		uint64_t value = 1000003 + tap_random(&seed) % 90000001;

		tw_histogram_add(&histogram, value);
		sum += value;
		min = value < min ? value : min;
		max = value > max ? value : max;
	}
	for (uint32_t bin = 0; bin < histogram.bin_count; bin++)
		counted += histogram.bins[bin];
	tap_ok(histogram.count == 10000 && counted == 10000 && histogram.sum_ns == sum &&
	       histogram.min_ns == min && histogram.max_ns == max,
	       "count, sum, minimum and maximum");
	/* sum < 2^53, so both sides round the same quotient once. */
	mean = tw_histogram_mean_ns(&histogram);
	tap_ok(!(mean < (double)sum / 10000) && !(mean > (double)sum / 10000), "mean");
	tap_ok(tw_histogram_percentile(&histogram, 0) == min &&
	       tw_histogram_percentile(&histogram, 100) == max,
	       "percentiles 0 and 100 are the extremes");
	tw_histogram_clear_used(&histogram);
	is_empty(&histogram, "forgotten");
	tw_histogram_add(&histogram, 5);
	tw_histogram_clear_all(&histogram);
	is_empty(&histogram, "reset");
	tw_histogram_free(&histogram);
	tw_histogram_free(&histogram);
	tap_ok(histogram.bins == NULL, "freed twice, no harm");
}

/* ---- memory ---- */

/* Return the memory that this process has written, in KiB; -1: the kernel does not tell. Pages
 * that are only read are all the same page of zeros. */
static long private_kib(void)
{
	FILE *file = fopen("/proc/self/smaps_rollup", "re");
	char line[256];
	long kib = -1;

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "Private_Dirty: %ld kB", &kib) == 1)
			break;
	if (file)
		fclose(file);
	return kib;
}

/* Return 1 if this kernel gives a page of its own to who only reads one. */
static int reads_take_memory(void)
{
	const size_t bytes = 1 << 20;
	const volatile char *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
					  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const long before = private_kib();
	int sum = 0;

	if (pages == MAP_FAILED)
		return 0;
	for (size_t i = 0; i < bytes; i += 4096)
		sum += pages[i];
	return sum + (private_kib() - before > 512);
}

/* Values that are added together count as if each was added alone. */
static void each(void)
{
	struct tw_histogram alone, together;
	uint64_t some[64 * 5], most = 0;
	int wrong = 0;

	tw_histogram_init(&alone, 3);
	tw_histogram_init(&together, 3);
	for (unsigned round = 0; round < 1000; round++) {
		const size_t count = tap_random(&seed) % 65, apart = 1 + round % 5;
		uint64_t largest = 0;

		for (size_t i = 0; i < count * apart; i++)
			some[i] = tap_random(&seed) >> (24 + tap_random(&seed) % 40);
		for (size_t i = 0; i < count; i++) {
			tw_histogram_add(&alone, some[i * apart]);
			largest = some[i * apart] > largest ? some[i * apart] : largest;
		}
		wrong += tw_histogram_add_each(&together, some, count, apart) != largest;
		most = largest > most ? largest : most;
	}
	for (uint32_t bin = 0; bin < alone.bin_count; bin++)
		wrong += alone.bins[bin] != together.bins[bin];
	tap_ok(!wrong && alone.count == together.count && alone.sum_ns == together.sum_ns &&
	       !together.repeats && alone.min_ns == together.min_ns && together.max_ns == most &&
	       !memcmp(alone.squares_ns2, together.squares_ns2, sizeof(alone.squares_ns2)),
	       "values that are added together, some or none");
	tw_histogram_free(&alone);
	tw_histogram_free(&together);
}

static void memory(void)
{
	const int reads_take = reads_take_memory();
	long before = private_kib(), used;
	struct tw_histogram histogram = made(5);

	tw_histogram_add(&histogram, 3);
	tw_histogram_add(&histogram, UINT64_MAX);
	tap_note("p50 %" PRIu64 ", stddev %g", tw_histogram_percentile(&histogram, 50),
		 tw_histogram_stddev_ns(&histogram));
	tw_histogram_clear_all(&histogram);
	tw_histogram_add(&histogram, 3);
	used = private_kib() - before;
	/* Two pages of bins and, at 8 bytes an entry, 100 KiB of page tables that this count
	 * leaves out; the rest of 1 MiB is stdio and libc. */
#if defined(__SANITIZE_THREAD__)
	tap_skip("ThreadSanitizer writes notes on every page that is read: %ld KiB", used);
#else
	if (before < 0 || tw_counter_is_emulated())
		tap_skip("no /proc/self/smaps_rollup of this program alone");
	else if (reads_take)
		tap_skip("this kernel has no page of zeros for reads");
	else
		tap_ok(used < 1024, "%ld KiB of %zu used, also after a reset", used,
		       histogram.bin_count * sizeof(*histogram.bins) / 1024);
#endif
	tw_histogram_free(&histogram);
}

/* ---- percentiles ---- */

/* Percentages in thousandths, so that the right rank is whole arithmetic. */
static const uint64_t thousandths[] = {
	0, 1, 100, 1000, 5000, 10000, 25000, 33333, 50000, 75000, 90000, 95000,
	99000, 99500, 99900, 99950, 99990, 99999, 100000,
};

#define PERCENTS	(sizeof(thousandths) / sizeof(*thousandths))

static int ascending(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return a < b ? -1 : a > b;
}

static void percentiles(unsigned digits, uint64_t count)
{
	struct tw_histogram histogram = made(digits);
	uint64_t all_ns[PERCENTS], wrong = 0, unlike = 0;
	double percents[PERCENTS];

	for (uint64_t i = 0; i < count; i++) {
		uint64_t random = tap_random(&seed);

		values[i] = random >> (random % 50 + 12);
		tw_histogram_add(&histogram, values[i]);
	}
	qsort(values, count, sizeof(*values), ascending);
	for (size_t i = 0; i < PERCENTS; i++)
		percents[i] = (double)thousandths[i] / 1000;
	tw_histogram_percentiles(&histogram, percents, all_ns, PERCENTS);
	for (size_t i = 0; i < PERCENTS; i++) {
		uint64_t rank = (thousandths[i] * count + 99999) / 100000;
		uint64_t true_ns = values[rank ? rank - 1 : 0];
		uint64_t ns = tw_histogram_percentile(&histogram, percents[i]);

		wrong += ns < true_ns || ns > values[count - 1] ||
			 tw__histogram_bin(&histogram, ns) !=
			 tw__histogram_bin(&histogram, true_ns);
		unlike += ns != all_ns[i];
	}
	tap_ok(!wrong && !unlike, "%u digits, %" PRIu64 " values: percentiles are in the right "
	       "value's bin, and the same in one pass", digits, count);
	tw_histogram_free(&histogram);
}

/* 1 to 1000 have a bin each with 3 digits: any wrong rank shows. */
static void ranks(void)
{
	struct tw_histogram histogram = made(3);
	uint64_t wrong = 0;

	for (uint64_t value = 1; value <= 1000; value++)
		tw_histogram_add(&histogram, value);
	for (uint64_t tenths = 1; tenths <= 1000; tenths++)
		wrong += tw_histogram_percentile(&histogram, (double)tenths / 10) != tenths;
	tap_is_u64(wrong, 0, "0.1 to 100.0 % are 1 to 1000");
	tap_ok(tw_histogram_percentile(&histogram, 99.90001) == 1000 &&
	       tw_histogram_percentile(&histogram, -1) == 1 &&
	       tw_histogram_percentile(&histogram, 101) == 1000,
	       "a little over 99.9 %% is the next value; below 0 and above 100 the extremes");
	tw_histogram_clear_all(&histogram);
	tw_histogram_add(&histogram, 1500000);
	tw_histogram_add(&histogram, 1500001);
	tap_is_u64(tw_histogram_percentile(&histogram, 1e-10), 1500000,
		   "of values that share a wide bin, too small a percentage is the minimum");
	tw_histogram_free(&histogram);
}

/* ---- merging ---- */

static int same(const struct tw_histogram *a, const struct tw_histogram *b)
{
	return a->count == b->count && a->sum_ns == b->sum_ns &&
	       a->squares_ns2[0] == b->squares_ns2[0] &&
	       a->squares_ns2[1] == b->squares_ns2[1] &&
	       a->min_ns == b->min_ns && a->max_ns == b->max_ns &&
	       memcmp(a->bins, b->bins, a->bin_count * sizeof(*a->bins)) == 0;
}

static void merging(void)
{
	struct tw_histogram parts[3] = { made(3), made(3), made(3) }, all = made(3);
	struct tw_histogram merged = made(3), coarse = made(2), should = made(2), before;
	int i, error = 0;

	for (i = 0; i < 30000; i++) {
		uint64_t random = tap_random(&seed);
		/* 20 bits to 50, parts overlapping: the sums fit 64 bits */
		uint64_t value = random >> (14 + random % 31);

		tw_histogram_add(&parts[random % 2], value);
		tw_histogram_add(&all, value);
		tw_histogram_add(&should, value);
	}
	for (i = 0; i < 3; i++)
		error |= tw_histogram_merge(&merged, &parts[i]) |
			 tw_histogram_add_finer(&coarse, &parts[i]);
	tap_ok(!error && same(&merged, &all),
	       "two parts and an empty one merged: the same as adding all values");
	tap_ok(same(&coarse, &should), "added to fewer digits: the same");
	before = merged;
	tap_ok(tw_histogram_merge(&merged, &coarse) == -EINVAL &&
	       tw_histogram_merge(&coarse, &merged) == -EINVAL, "unlike digits are refused");
	parts[2].min_ns = 0;
	tap_ok(!tw_histogram_add_bin(&parts[2], 0, UINT64_MAX - 5) &&
	       tw_histogram_add_bin(&parts[2], 0, 6) == -EOVERFLOW,
	       "counting beyond 2^64 - 1 is refused");
	tap_ok(tw_histogram_add_bin(&parts[2], parts[2].bin_count, 1) == -EINVAL,
	       "a bin behind the last is refused");
	tap_ok(tw_histogram_merge(&merged, &parts[2]) == -EOVERFLOW,
	       "merging beyond 2^64 - 1 is refused");
	tw_histogram_clear_all(&parts[2]);
	tw_histogram_add(&parts[2], UINT64_MAX - merged.sum_ns + 1);
	tap_ok(tw_histogram_merge(&merged, &parts[2]) == -EOVERFLOW,
	       "a sum beyond 2^64 - 1 is refused");
	tap_ok(memcmp(&before, &merged, sizeof(before)) == 0 && same(&merged, &all),
	       "nothing changed by what was refused");
	for (i = 0; i < 3; i++)
		tw_histogram_free(&parts[i]);
	tw_histogram_free(&all);
	tw_histogram_free(&merged);
	tw_histogram_free(&coarse);
	tw_histogram_free(&should);
}

/* ---- the standard deviation of the sample ---- */

static void is_near(const struct tw_histogram *histogram, double should, double tolerance,
		    const char *what)
{
	double is = tw_histogram_stddev_ns(histogram);

	if (!tap_ok(fabs(is - should) <= tolerance, "%s", what))
		tap_note("is %.17g, should be %.17g", is, should);
}

/* Compute it in two passes over the values themselves, with the mean first. */
static double stddev_of(const uint64_t *of, unsigned count)
{
	long double sum = 0, squares = 0;

	for (unsigned i = 0; i < count; i++)
		sum += of[i];
	for (unsigned i = 0; i < count; i++)
		squares += (of[i] - sum / count) * (of[i] - sum / count);
	return (double)sqrtl(squares / (count - 1));
}

/* @spread values above @least, in bins of a tenth of their value. Ours is rounded as a double
 * some five times, by 2^-53 each; the other one adds ten thousand long doubles. */
static void deviation(uint64_t least, uint64_t spread, const char *what)
{
	struct tw_histogram histogram = made(1), half = made(1);
	double should;

	for (unsigned i = 0; i < 10000; i++) {
		values[i] = least + tap_random(&seed) % spread;
		tw_histogram_add(i % 2 ? &histogram : &half, values[i]);
	}
	tap_ok(!tw_histogram_merge(&histogram, &half), "merged");
	should = stddev_of(values, 10000);
	is_near(&histogram, should, should * 1e-14, what);
	tw_histogram_free(&half);
	tw_histogram_free(&histogram);
}

static void deviations_by_hand(void)
{
	struct tw_histogram histogram = made(5);

	tw_histogram_add(&histogram, 7);
	is_near(&histogram, 0, 0, "one value: 0");
	tw_histogram_add(&histogram, 9);
	/* ((7-8)^2 + (9-8)^2) / (2-1) = 2 */
	is_near(&histogram, sqrt(2), 1e-15, "7 and 9: the root of 2");
	tw_histogram_clear_all(&histogram);
	for (int i = 0; i < 1000; i++)
		tw_histogram_add(&histogram, FAR_NS + 1);
	is_near(&histogram, 0, 0, "one value a thousand times: 0");
	tw_histogram_clear_all(&histogram);
	/* Their squares need 127 bits: 2 (2^63 / 2)^2. */
	tw_histogram_add(&histogram, 0);
	tw_histogram_add(&histogram, 1ULL << 63);
	is_near(&histogram, 0x1p63 / sqrt(2), 0x1p63 / 1e15, "0 and 2^63");
	tw_histogram_free(&histogram);
}

int main(void)
{
	uint64_t power = 1;
	unsigned digits;

	seed = tap_seed();
	each();
	memory();
	for (digits = 1; digits <= 5; digits++)
		bins(digits, power *= 10);
	slices();
	exact();
	ranks();
	for (digits = 1; digits <= 5; digits += 2) {
		percentiles(digits, 1);
		percentiles(digits, 997);
		percentiles(digits, VALUES);
	}
	merging();
	deviations_by_hand();
	deviation(0, 2, "zeros and ones");
	deviation(900, 300, "about a microsecond, in bins as wide as 60 ns");
	deviation(FAR_NS, 100, "100 ns above an hour");
	deviation(1, 1ULL << 50, "anything up to thirteen days");
	return tap_done();
}
