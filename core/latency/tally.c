/* SPDX-License-Identifier: MIT */
/*
 * Counting in bytes: see tally.h.
 */
#include <errno.h>
#include <sys/mman.h>

#include "latency/tally.h"

#define FULL	256	/* what a byte has counted when it is 0 again */

int tw_tally_init(struct tw_tally *tally, const struct tw_histogram *histogram)
{
	void *bins = mmap(NULL, histogram->bin_count, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (bins == MAP_FAILED)
		return -ENOMEM;
	tally->bins = bins;
	tally->bin_count = histogram->bin_count;
	return 0;
}

void tw_tally_free(struct tw_tally *tally)
{
	if (tally->bins)
		munmap(tally->bins, tally->bin_count);
	*tally = (struct tw_tally) { 0 };
}

/* What the values of a call are. */
enum unit {
	NS,
	SHORT_TICKS,	/* all of them within one modulus: half the work */
	TICKS,
};

static inline __attribute__((always_inline))
uint64_t to_ns(const struct tw_scale *scale, enum unit unit, uint64_t value)
{
	switch (unit) {
	case NS:
		return value;
	case SHORT_TICKS:
		return (tw_scale_modulus_part(scale, value) + TW_SCALE_HALF) >>
		       TW_SCALE_FRACTION_BITS;
	default:
		return tw_ticks_to_ns(scale, value);
	}
}

/* A branch and no choice: it is hardly ever a new one. */
static inline void widen(struct tw_histogram *histogram, uint64_t ns)
{
	if (tw_unlikely(ns < histogram->min_ns))
		histogram->min_ns = ns;
	if (tw_unlikely(ns > histogram->max_ns))
		histogram->max_ns = ns;
}

/*
 * Worked on in copies, since for all that the compiler knows a bin that is
 * counted might be a part of the histogram itself. One by one, although
 * tw_ticks_to_ns_many() is faster for itself: it takes the widest vector
 * instructions, and after a few of those a CPU slows down, so that what goes on
 * around this loses more than is gained here.
 */
static inline __attribute__((always_inline))
void add_many(struct tw_tally *tally, struct tw_histogram *histogram,
	      struct tw_histogram *coarse, const struct tw_scale *scale_or_null,
	      enum unit unit, const uint64_t *values, size_t count)
{
	const struct tw_scale scale = unit == NS ? (struct tw_scale) { 0 } :
						   *scale_or_null;
	struct tw_histogram wide = *histogram;
	struct tw_histogram other = coarse ? *coarse : wide;
	uint8_t *bins = tally->bins;
	uint64_t sum_ns = 0;

	for (size_t i = 0; i < count; i++) {
		uint64_t ns = to_ns(&scale, unit, values[i]);
		uint32_t bin = tw_histogram_bin(&wide, ns);

		if (tw_unlikely(++bins[bin] == 0))
			wide.bins[bin] += FULL;
		sum_ns += ns;
		widen(&wide, ns);
		if (coarse) {
			other.bins[tw_histogram_bin(&other, ns)]++;
			widen(&other, ns);
		}
	}
	wide.count += count;
	wide.sum_ns += sum_ns;
	*histogram = wide;
	if (coarse) {
		other.count += count;
		other.sum_ns += sum_ns;
		*coarse = other;
	}
}

static inline __attribute__((always_inline))
void add_by_unit(struct tw_tally *tally, struct tw_histogram *histogram,
		 struct tw_histogram *coarse, const struct tw_scale *scale,
		 const uint64_t *values, size_t count)
{
	uint64_t any = 0;

	if (!scale) {
		add_many(tally, histogram, coarse, NULL, NS, values, count);
		return;
	}
	for (size_t i = 0; i < count; i++)
		any |= values[i];
	if (any <= scale->mask)
		add_many(tally, histogram, coarse, scale, SHORT_TICKS, values,
			 count);
	else
		add_many(tally, histogram, coarse, scale, TICKS, values, count);
}

void tw_tally_add_many(struct tw_tally *tally, struct tw_histogram *histogram,
		       struct tw_histogram *coarse,
		       const struct tw_scale *scale, const uint64_t *values,
		       size_t count)
{
	if (coarse)
		add_by_unit(tally, histogram, coarse, scale, values, count);
	else
		add_by_unit(tally, histogram, NULL, scale, values, count);
}

/* What it holds lies between the extremes; memory never touched stays so. */
void tw_tally_settle(struct tw_tally *tally, struct tw_histogram *histogram)
{
	uint32_t bin, last;

	if (!histogram->count)
		return;
	last = tw_histogram_bin(histogram, histogram->max_ns);
	bin = tw_histogram_bin(histogram, histogram->min_ns);
	for (; bin <= last; bin++)
		if (tally->bins[bin]) {
			histogram->bins[bin] += tally->bins[bin];
			tally->bins[bin] = 0;
		}
}
