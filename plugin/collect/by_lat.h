/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where the time of I/Os with a similar lat went: for each slice of lat
 * (latency/slices.h), the sum of each stage over the I/Os of the slice. The number of
 * these I/Os is in the histogram of lat. Percentiles of stages don't add up to the
 * percentile of lat; these sums do.
 *
 * Adding an I/O costs the addition of one cache line to another.
 */
#ifndef TW_COLLECT_BY_LAT_H
#define TW_COLLECT_BY_LAT_H

#include "latency/slices.h"
#include "latency/stages.h"

struct tw_by_lat {
	uint64_t (*sum_ns)[TW_STAGES];	/* [TW_LAT_SLICES] */
};

/* Return 0 or -ENOMEM. Call tw_by_lat_free() afterwards, also after a failure. */
int tw_by_lat_init(struct tw_by_lat *by_lat);
void tw_by_lat_free(struct tw_by_lat *by_lat);

/* Add an I/O. @stage_ns: 0 for a stage that the I/O does not have. */
static inline void tw_by_lat_add(struct tw_by_lat *by_lat, uint64_t lat_ns,
				 const uint64_t stage_ns[TW_STAGES])
{
	uint64_t *sum_ns = by_lat->sum_ns[tw_lat_slice(lat_ns)];
	unsigned stage;

	for (stage = 0; stage < TW_STAGES; stage++)
		sum_ns[stage] += stage_ns[stage];
}

#endif
