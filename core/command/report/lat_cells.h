/* SPDX-License-Identifier: MIT */
/*
 * Cells with the figures of a histogram, as several tables of the page have them.
 */
#ifndef TW_REPORT_LAT_CELLS_H
#define TW_REPORT_LAT_CELLS_H

#include "command/output/table.h"
#include "latency/histogram.h"

/* A dash where no value lies above the percentile. */
void tw_report_add_percentile(struct tw_table *table, const struct tw_histogram *histogram,
			      double percent);

/* Mean, p50, p99, p99.9 and max; of an empty histogram five dashes. */
void tw_report_add_lat(struct tw_table *table, const struct tw_histogram *lat);

#endif
