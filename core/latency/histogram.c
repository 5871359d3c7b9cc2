/* SPDX-License-Identifier: MIT */
/*
 * The log-linear histogram: its memory, its edges, and its statistics. Pure
 * arithmetic, except for the mapping. Adding a value is inline in tickwise.h.
 *
 * With b = bits, bin = (octave << b) + (value >> octave). The octave is 0 up to
 * 2^(b+1), and one more for each doubling. An octave has 2^b bins, each
 * 2^octave wide, and each bin of the two lowest octaves holds one value.
 *
 * Loops over bins go only from the bin of the minimum to the bin of the
 * maximum: with 5 digits there are 6.3 million bins.
 */
#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/mman.h>

#include "latency/histogram.h"
#include "tickwise.h"

#define MAX_DIGITS	5

/* Percentages have nine decimals. So 100 % is this number of units. */
#define PERCENT_UNIT	1e9
#define PERCENT_ALL	100000000000ULL

static size_t size_of(const struct tw_histogram *histogram)
{
	return (size_t)histogram->bin_count * sizeof(*histogram->bins);
}

int tw_histogram_init(struct tw_histogram *histogram, unsigned digits)
{
	struct tw_histogram made = { .min_ns = UINT64_MAX };
	uint32_t bins_wanted;
	void *bins;

	if (digits < 1 || digits > MAX_DIGITS)
		return -EINVAL;
	made.digits = (uint8_t)digits;
	for (bins_wanted = 1; digits--;)
		bins_wanted *= 10;
	while (1U << made.bits < bins_wanted)
		made.bits++;
	made.bin_count = (65U - made.bits) << made.bits;
	bins = mmap(NULL, size_of(&made), PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (bins == MAP_FAILED)
		return -ENOMEM;
	/* The first count in an octave must not wait until 2 MiB are zeroed. A
	 * kernel without huge pages refuses this, which does no harm. */
	(void)madvise(bins, size_of(&made), MADV_NOHUGEPAGE);
	made.bins = bins;
	*histogram = made;
	return 0;
}

void tw_histogram_free(struct tw_histogram *histogram)
{
	if (histogram->bins)
		munmap(histogram->bins, size_of(histogram));
	*histogram = (struct tw_histogram) { .min_ns = UINT64_MAX };
}

void tw_histogram_clear_all(struct tw_histogram *histogram)
{
	/* Go over all bins: after tw_histogram_add_bin() the extremes may not
	 * be set. Bins are read before they are written. So memory that was
	 * never touched stays so. Touched memory stays mapped, and the next
	 * count has no page fault. */
	for (uint32_t bin = 0; bin < histogram->bin_count; bin++)
		if (histogram->bins[bin])
			histogram->bins[bin] = 0;
	tw_histogram_forget_sums(histogram);
}

void tw_histogram_clear_used(struct tw_histogram *histogram)
{
	uint32_t first, last;

	if (histogram->count) {
		first = tw__histogram_bin(histogram, histogram->min_ns);
		last = tw__histogram_bin(histogram, histogram->max_ns);
		memset(&histogram->bins[first], 0,
		       (last - first + 1) * sizeof(*histogram->bins));
	}
	tw_histogram_forget_sums(histogram);
}

/* Return log2 of the bin's width. */
static unsigned octave_of(const struct tw_histogram *histogram, uint32_t bin)
{
	uint32_t octave = bin >> histogram->bits;

	return octave ? octave - 1 : 0;
}

uint64_t tw_histogram_bin_low(const struct tw_histogram *histogram,
			      uint32_t bin)
{
	unsigned octave = octave_of(histogram, bin);

	return (uint64_t)(bin - (octave << histogram->bits)) << octave;
}

uint64_t tw_histogram_bin_high(const struct tw_histogram *histogram,
			       uint32_t bin)
{
	return tw_histogram_bin_low(histogram, bin) +
	       ((1ULL << octave_of(histogram, bin)) - 1);
}

int tw_histogram_add_bin(struct tw_histogram *histogram, uint32_t bin,
			 uint64_t count)
{
	uint64_t all;

	if (bin >= histogram->bin_count)
		return -EINVAL;
	if (__builtin_add_overflow(histogram->count, count, &all))
		return -EOVERFLOW;
	histogram->bins[bin] += count;
	histogram->count = all;
	return 0;
}

/* Add the sums and extremes of @from; its bins are for the caller. */
static int add_sums(struct tw_histogram *into, const struct tw_histogram *from)
{
	u128 squares_ns2;
	uint64_t sum_ns;

	if (__builtin_add_overflow(into->sum_ns, from->sum_ns, &sum_ns) ||
	    __builtin_add_overflow(tw_histogram_squares(into), tw_histogram_squares(from),
				   &squares_ns2))
		return -EOVERFLOW;
	into->sum_ns = sum_ns;
	into->repeats += from->repeats;
	tw_histogram_set_squares(into, squares_ns2);
	if (from->min_ns < into->min_ns)
		into->min_ns = from->min_ns;
	if (from->max_ns > into->max_ns)
		into->max_ns = from->max_ns;
	return 0;
}

uint64_t tw_histogram_add_each(struct tw_histogram *histogram, const uint64_t *values_ns,
			       size_t count, size_t apart)
{
	/* Copies, which the compiler can keep in registers. */
	const struct tw_histogram into = *histogram;
	const uint64_t *const end = values_ns + count * apart, *value_ns;
	uint64_t sum_ns = 0, min_ns = into.min_ns, max_ns = 0;
	u128 squares_ns2 = tw_histogram_squares(histogram);

	for (value_ns = values_ns; value_ns != end; value_ns += apart)
		into.bins[tw__histogram_bin(&into, *value_ns)]++;
	for (value_ns = values_ns; value_ns != end; value_ns += apart) {
		sum_ns += *value_ns;
		squares_ns2 += (u128)*value_ns * *value_ns;
		if (*value_ns < min_ns)
			min_ns = *value_ns;
		if (*value_ns > max_ns)
			max_ns = *value_ns;
	}
	histogram->count += count;
	histogram->sum_ns += sum_ns;
	histogram->min_ns = min_ns;
	if (max_ns > histogram->max_ns)
		histogram->max_ns = max_ns;
	tw_histogram_set_squares(histogram, squares_ns2);
	return max_ns;
}

int tw_histogram_merge(struct tw_histogram *into, const struct tw_histogram *from)
{
	uint64_t count;
	uint32_t last;

	if (into->digits != from->digits)
		return -EINVAL;
	if (from->count == 0)
		return 0;
	if (__builtin_add_overflow(into->count, from->count, &count) || add_sums(into, from))
		return -EOVERFLOW;
	into->count = count;
	last = tw__histogram_bin(from, from->max_ns);
	for (uint32_t bin = tw__histogram_bin(from, from->min_ns); bin <= last; bin++)
		if (from->bins[bin])
			into->bins[bin] += from->bins[bin];
	return 0;
}

int tw_histogram_merge_into_empty(struct tw_histogram *into, const struct tw_histogram *from)
{
	int error = 0;

	if (from->count && !into->bins)
		error = tw_histogram_init(into, from->digits);
	return error || !from->count ? error : tw_histogram_merge(into, from);
}

int tw_histogram_add_finer(struct tw_histogram *into, const struct tw_histogram *from)
{
	uint32_t last = tw__histogram_bin(from, from->max_ns);
	int error = 0;

	for (uint32_t bin = tw__histogram_bin(from, from->min_ns);
	     bin <= last && !error; bin++)
		if (from->bins[bin])
			error = tw_histogram_add_bin(into, tw__histogram_bin(into,
				tw_histogram_bin_low(from, bin)), from->bins[bin]);
	return error ? error : add_sums(into, from);
}

/*
 * Return the rank of the percentile among all values, sorted, counted from 1.
 * Computed in integers: in doubles 99.9 / 100 * 1000 may be a little more than
 * 999, and rounding that up would give the next value.
 */
static uint64_t rank_of(uint64_t count, double percent)
{
	uint64_t rank, units;

	if (!(percent > 0))
		return 1;
	if (percent >= 100)
		return count;
	units = (uint64_t)llround(percent * PERCENT_UNIT);
	rank = (uint64_t)(((u128)count * units + PERCENT_ALL - 1) / PERCENT_ALL);
	return rank ? rank : 1;
}

/* A place in the bins, and how many values are before it. */
struct place {
	uint32_t bin;
	uint64_t before;
};

/* Return the value of a rank that is not before @at. @at becomes the place of its bin. */
static uint64_t value_at(const struct tw_histogram *histogram, uint64_t rank,
			 struct place *at)
{
	const uint32_t last = tw__histogram_bin(histogram, histogram->max_ns);
	uint64_t left = rank - at->before, high_ns;
	uint32_t bin = at->bin;

	if (rank == 1)
		return histogram->min_ns;
	/* Four bins a step: one bin a step took more than twice as long. */
	for (; bin + 4 <= last; bin += 4) {
		const uint64_t *four = &histogram->bins[bin];
		uint64_t sum = four[0] + four[1] + four[2] + four[3];

		if (left <= sum)
			break;
		left -= sum;
	}
	while (bin < last && left > histogram->bins[bin])
		left -= histogram->bins[bin++];
	*at = (struct place) { .bin = bin, .before = rank - left };
	high_ns = tw_histogram_bin_high(histogram, bin);
	return high_ns < histogram->max_ns ? high_ns : histogram->max_ns;
}

void tw_histogram_percentiles(const struct tw_histogram *histogram, const double *percents,
			      uint64_t *values_ns, size_t count)
{
	struct place at = { .bin = tw__histogram_bin(histogram, histogram->min_ns) };

	for (size_t i = 0; i < count; i++)
		values_ns[i] = histogram->count == 0 ? 0 : value_at(histogram,
			rank_of(histogram->count, percents[i]), &at);
}

uint64_t tw_histogram_percentile(const struct tw_histogram *histogram,
				 double percent)
{
	uint64_t value_ns;

	tw_histogram_percentiles(histogram, &percent, &value_ns, 1);
	return value_ns;
}

double tw_histogram_mean_ns(const struct tw_histogram *histogram)
{
	if (histogram->count == 0)
		return 0;
	return (double)histogram->sum_ns / (double)histogram->count;
}

/*
 * Compute the sum of the squared distances from the mean, from the sums. Let q
 * be the whole part of the mean, and r the rest of the sum. Then
 *
 *	sum((x - q)^2) = sum(x^2) - q * (sum(x) + r)
 *
 * This is computed in integers, so that subtracting large squares from each
 * other loses nothing. The mean itself is r / n above q.
 */
static double squares_from_mean(const struct tw_histogram *histogram)
{
	double n = (double)histogram->count;
	uint64_t q = histogram->sum_ns / histogram->count;
	uint64_t r = histogram->sum_ns % histogram->count;
	u128 squares_ns2 = tw_histogram_squares(histogram) -
			   (u128)q * ((u128)histogram->sum_ns + r);

	return (double)squares_ns2 - (double)r * ((double)r / n);
}

/* Return the deviation of the sample (n - 1), as fio does. */
double tw_histogram_stddev_ns(const struct tw_histogram *histogram)
{
	double squares;

	if (histogram->count < 2)
		return 0;
	squares = squares_from_mean(histogram);
	return squares > 0 ? sqrt(squares / (double)(histogram->count - 1)) : 0;
}
