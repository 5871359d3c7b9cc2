/* SPDX-License-Identifier: MIT */
/*
 * The stages of I/Os of a similar lat, of which a report has the sums: read, merged, and
 * asked where the time of the I/Os at a percentile went.
 */
#ifndef TW_REPORT_BY_LAT_H
#define TW_REPORT_BY_LAT_H

#include "command/reports/report.h"
#include "latency/slices.h"

/* 0, with @problem set if something is wrong; -ENOMEM. */
int tw_report_read_by_lat(struct tw_report *report, struct tw_report_problem *problem);

/* 0, -ENOMEM, -EOVERFLOW. */
int tw_report_merge_by_lat(struct tw_report_by_lat *into,
			   const struct tw_report_by_lat *from);

void tw_report_free_by_lat(struct tw_report_by_lat *by_lat);

int tw_report_has_by_lat(const struct tw_report_tally *tally);

/* {DIRECTION: [...]}, as the engine writes it; NULL without memory. */
json_t *tw_report_by_lat_to_json(const struct tw_report_tally *tally);

/* The slice that has @percent of a direction's lat; NULL: not of all I/Os are the
 * stages known by lat. */
const struct tw_report_slice *tw_report_slice_at(const struct tw_report_tally *tally,
						 int direction, double percent);

/* The sum of that slice and of all above it, as a slice with where it begins. 0: there is
 * none, or sums that don't fit. */
int tw_report_slices_from(struct tw_report_slice *sum, const struct tw_report_tally *tally,
			  int direction, double percent);

#endif
