/* SPDX-License-Identifier: MIT */
/*
 * Adds cells with figures of a histogram, for several tables of the page.
 */
#ifndef TW_REPORT_LAT_CELLS_H
#define TW_REPORT_LAT_CELLS_H

#include "command/output/page.h"
#include "latency/histogram.h"

/* Add a percentile; a dash if no value lies above it. */
void tw_report_add_percentile(struct tw_table *table, const struct tw_histogram *histogram,
			      double percent);

/* Add mean, p50, p99, p99.9 and max; five dashes for an empty histogram. */
void tw_report_add_lat(struct tw_table *table, const struct tw_histogram *lat);

#endif
