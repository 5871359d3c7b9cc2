/* SPDX-License-Identifier: MIT */
/*
 * The stages of I/Os with similar lat. A report has their sums. They are read
 * and merged here, and show where the time of the I/Os at a percentile went.
 */
#ifndef TW_REPORT_BY_LAT_H
#define TW_REPORT_BY_LAT_H

#include "command/reports/report.h"
#include "latency/slices.h"

/* Read the sums. Return: 0, with @problem set if they are wrong; -ENOMEM. */
int tw_report_read_by_lat(struct tw_report *report, struct tw_report_problem *problem);

/* Add the sums. Return: 0; -ENOMEM; -EOVERFLOW. */
int tw_report_merge_by_lat(struct tw_report_by_lat *into,
			   const struct tw_report_by_lat *from);

void tw_report_free_by_lat(struct tw_report_by_lat *by_lat);

int tw_report_has_by_lat(const struct tw_report_tally *tally);

/* Return {DIRECTION: [...]}, as the engine writes it; NULL without memory. */
json_t *tw_report_by_lat_to_json(const struct tw_report_tally *tally);

/* Return the slice with @percent of a direction's lat; NULL: some I/Os are in
 * no slice. */
const struct tw_report_slice *tw_report_slice_at(const struct tw_report_tally *tally,
						 int direction, double percent);

/* Sum up this slice and all above it, as a slice with the same begin. Return:
 * 0: there is none, or sums don't fit. */
int tw_report_slices_from(struct tw_report_slice *sum, const struct tw_report_tally *tally,
			  int direction, double percent);

#endif
