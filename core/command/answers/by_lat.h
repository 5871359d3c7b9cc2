/* SPDX-License-Identifier: MIT */
/*
 * The stages of I/Os with similar lat: where the time of the I/Os at a percentile
 * went.
 */
#ifndef TW_REPORT_BY_LAT_H
#define TW_REPORT_BY_LAT_H

#include "report/tally.h"

/* The I/Os in a slice of lat (latency/slices.h), and the sums of their stages. */
struct tw_report_slice {
	unsigned at;
	uint64_t ios;
	uint64_t sum_ns[TW_STAGES];
};

/* Get the slice with @percent of a direction's lat. Return: 0: there is none. */
int tw_report_slice_at(struct tw_report_slice *slice, const struct tw_tally *tally,
		       int direction, double percent);

/* Sum up this slice and all above it, as a slice with the same begin. Return:
 * 0: there is none, or sums don't fit. */
int tw_report_slices_from(struct tw_report_slice *sum, const struct tw_tally *tally,
			  int direction, double percent);

#endif
