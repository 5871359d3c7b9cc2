/* SPDX-License-Identifier: MIT */
/*
 * The intervals of a group over the time of its run.
 */
#ifndef TW_REPORT_OVER_TIME_H
#define TW_REPORT_OVER_TIME_H

#include "command/reports/report.h"

/* Merge them, after the members were added. Return: 0; -ENOMEM; -EOVERFLOW. */
int tw_report_merge_over_time(struct tw_report_group *group);

/* Return a bound that is at least the 99th percentile. */
uint64_t tw_report_p99_bound_ns(const struct tw_report_interval_of *of);

#endif
