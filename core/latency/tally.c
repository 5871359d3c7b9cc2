/* SPDX-License-Identifier: MIT */
/*
 * Counting in bytes: see tally.h.
 */
#include <errno.h>
#include <sys/mman.h>

#include "latency/sums.h"
#include "latency/tally.h"
#ifdef __SSE2__
#include "latency/short_bins.h"
#endif

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

static inline void add_squares(struct tw_histogram *histogram, u128 sum_ns2)
{
	tw_histogram_set_squares(histogram,
				 tw_histogram_squares(histogram) + sum_ns2);
}

/*
 * Worked on in copies, since for all that the compiler knows a bin that is
 * counted might be a part of the histogram itself.
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
	u128 squares_ns2 = 0;
	uint64_t sum_ns = 0;

	for (size_t i = 0; i < count; i++) {
		uint64_t ns = to_ns(&scale, unit, values[i]);
		uint32_t bin = tw_histogram_bin(&wide, ns);

		if (tw_unlikely(++bins[bin] == 0))
			wide.bins[bin] += FULL;
		sum_ns += ns;
		squares_ns2 += (u128)ns * ns;
		widen(&wide, ns);
		if (coarse) {
			other.bins[tw_histogram_bin(&other, ns)]++;
			widen(&other, ns);
		}
	}
	wide.count += count;
	wide.sum_ns += sum_ns;
	add_squares(&wide, squares_ns2);
	*histogram = wide;
	if (coarse) {
		other.count += count;
		other.sum_ns += sum_ns;
		add_squares(&other, squares_ns2);
		*coarse = other;
	}
}

#ifdef __SSE2__

/* Sums of a lane of these, 2^24 each at most, fit 32 bits, those of squares 64. */
#define BLOCK	128

/* What is known of a block besides its bins. */
struct block {
	__m128i sums_ns;
	__m128i squares_ns2;	/* of two lanes each */
	__m128 min_ns, max_ns;	/* by lane; exact, as all below 2^24 is */
};

static void finish(struct tw_histogram *histogram, const struct block *block,
		   size_t count)
{
	uint64_t squares_ns2[2];
	uint32_t sums_ns[4];
	float min_ns[4], max_ns[4];

	_mm_storeu_si128((__m128i *)sums_ns, block->sums_ns);
	_mm_storeu_si128((__m128i *)squares_ns2, block->squares_ns2);
	_mm_storeu_ps(min_ns, block->min_ns);
	_mm_storeu_ps(max_ns, block->max_ns);
	for (unsigned lane = 0; lane < 4; lane++) {
		histogram->sum_ns += sums_ns[lane];
		widen(histogram, (uint64_t)min_ns[lane]);
		widen(histogram, (uint64_t)max_ns[lane]);
	}
	add_squares(histogram, (u128)squares_ns2[0] + squares_ns2[1]);
	histogram->count += count;
}

static inline __attribute__((always_inline))
void add_block(struct tw_tally *tally, struct tw_histogram *histogram,
	       struct tw_histogram *coarse, const struct tw_short_scale *scale,
	       const uint64_t *ticks, size_t count)
{
	const struct tw_short_bins wide = tw_short_bins_of(histogram);
	const struct tw_short_bins other =
		tw_short_bins_of(coarse ? coarse : histogram);
	uint64_t *full = histogram->bins, *counts = coarse ? coarse->bins : NULL;
	uint8_t *bins = tally->bins;
	uint32_t in_wide[BLOCK], in_other[BLOCK];
	struct block block = {
		.sums_ns = _mm_setzero_si128(),
		.squares_ns2 = _mm_setzero_si128(),
		.min_ns = _mm_set1_ps(1 << TW_SHORT_NS_BITS),
		.max_ns = _mm_setzero_ps(),
	};

	for (size_t i = 0; i < count; i += 4) {
		__m128i ns = tw_short_ns(scale, ticks + i);
		__m128i odd = _mm_srli_epi64(ns, 32);
		__m128 floats = _mm_cvtepi32_ps(ns);

		block.sums_ns = _mm_add_epi32(block.sums_ns, ns);
		block.squares_ns2 = _mm_add_epi64(block.squares_ns2,
			_mm_add_epi64(_mm_mul_epu32(ns, ns),
				      _mm_mul_epu32(odd, odd)));
		block.min_ns = _mm_min_ps(block.min_ns, floats);
		block.max_ns = _mm_max_ps(block.max_ns, floats);
		_mm_storeu_si128((__m128i *)(in_wide + i),
				 tw_short_bins(&wide, ns, floats));
		if (coarse)
			_mm_storeu_si128((__m128i *)(in_other + i),
					 tw_short_bins(&other, ns, floats));
	}
	for (size_t i = 0; i < count; i++) {
		if (tw_unlikely(++bins[in_wide[i]] == 0))
			full[in_wide[i]] += FULL;
		if (coarse)
			counts[in_other[i]]++;
	}
	finish(histogram, &block, count);
	if (coarse)
		finish(coarse, &block, count);
}

/* How many were taken: all but three at most, or none. */
static inline __attribute__((always_inline))
size_t add_short(struct tw_tally *tally, struct tw_histogram *histogram,
		 struct tw_histogram *coarse, const struct tw_scale *scale,
		 uint64_t most_ticks, const uint64_t *ticks, size_t count)
{
	const struct tw_short_scale constants = tw_short_scale_of(scale);
	size_t begin, end = count - count % 4;

	if (!tw_short_suits(scale, most_ticks))
		return 0;
	for (begin = 0; begin < end; begin += BLOCK)
		add_block(tally, histogram, coarse, &constants, ticks + begin,
			  end - begin < BLOCK ? end - begin : BLOCK);
	return end;
}

#else

/* Elsewhere all go one by one. */
#define add_short(...)	((size_t)0)

#endif

static inline __attribute__((always_inline))
void add_by_unit(struct tw_tally *tally, struct tw_histogram *histogram,
		 struct tw_histogram *coarse, const struct tw_scale *scale,
		 const uint64_t *values, size_t count)
{
	uint64_t any = 0;
	size_t taken;

	if (!scale) {
		add_many(tally, histogram, coarse, NULL, NS, values, count);
		return;
	}
	for (size_t i = 0; i < count; i++)
		any |= values[i];
	taken = add_short(tally, histogram, coarse, scale, any, values, count);
	values += taken;
	count -= taken;
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
