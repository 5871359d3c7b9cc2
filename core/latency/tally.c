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

static void add_sums(struct tw_histogram *into, const struct tw_histogram *added)
{
	into->count += added->count;
	into->sum_ns += added->sum_ns;
	if (added->min_ns < into->min_ns)
		into->min_ns = added->min_ns;
	if (added->max_ns > into->max_ns)
		into->max_ns = added->max_ns;
}

/*
 * Copies of what says where a bin is, since for all that the compiler knows a
 * bin that is counted might be a part of it.
 */
static inline __attribute__((always_inline))
void add_many(struct tw_tally *tally, struct tw_histogram *histogram,
	      struct tw_histogram *coarse, const uint64_t *values_ns,
	      size_t count)
{
	const struct tw_histogram wide = *histogram;
	const struct tw_histogram other = coarse ? *coarse : wide;
	struct tw_histogram added = { .count = count, .min_ns = UINT64_MAX };
	uint8_t *bins = tally->bins;

	for (size_t i = 0; i < count; i++) {
		uint64_t ns = values_ns[i];
		uint32_t bin = tw_histogram_bin(&wide, ns);

		if (tw_unlikely(++bins[bin] == 0))
			wide.bins[bin] += FULL;
		if (coarse)
			other.bins[tw_histogram_bin(&other, ns)]++;
		added.sum_ns += ns;
		if (ns < added.min_ns)
			added.min_ns = ns;
		if (ns > added.max_ns)
			added.max_ns = ns;
	}
	add_sums(histogram, &added);
	if (coarse)
		add_sums(coarse, &added);
}

void tw_tally_add_many(struct tw_tally *tally, struct tw_histogram *histogram,
		       struct tw_histogram *coarse, const uint64_t *values_ns,
		       size_t count)
{
	if (coarse)
		add_many(tally, histogram, coarse, values_ns, count);
	else
		add_many(tally, histogram, NULL, values_ns, count);
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
