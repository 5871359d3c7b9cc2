/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where the time of I/Os of a similar lat went: for each slice of lat (latency/slices.h)
 * the sums of the stages of its I/Os. How many they are is in the histogram of lat.
 * Percentiles of stages don't add up to that of lat; these sums do.
 *
 * An I/O costs the addition of one line of the cache to another.
 */
#ifndef TW_COLLECT_BY_LAT_H
#define TW_COLLECT_BY_LAT_H

#include "latency/slices.h"
#include "latency/stages.h"

struct tw_by_lat {
	uint64_t (*sum_ns)[TW_STAGES];	/* [TW_LAT_SLICES] */
};

/* 0; -ENOMEM. To be released by tw_by_lat_free(), also after a failure. */
int tw_by_lat_init(struct tw_by_lat *by_lat);
void tw_by_lat_free(struct tw_by_lat *by_lat);

/* @stage_ns: 0 where an I/O has no such stage. */
static inline void tw_by_lat_add(struct tw_by_lat *by_lat, uint64_t lat_ns,
				 const uint64_t stage_ns[TW_STAGES])
{
	uint64_t *sum_ns = by_lat->sum_ns[tw_lat_slice(lat_ns)];
	unsigned stage;

	for (stage = 0; stage < TW_STAGES; stage++)
		sum_ns[stage] += stage_ns[stage];
}

#endif
