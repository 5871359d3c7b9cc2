/* SPDX-License-Identifier: MIT */
/*
 * The intervals of a group over the time of its run.
 */
#ifndef TW_REPORT_OVER_TIME_H
#define TW_REPORT_OVER_TIME_H

#include "command/reports/report.h"

/* With its members in place. 0; -ENOMEM; -EOVERFLOW. */
int tw_report_merge_over_time(struct tw_report_group *group);

/* No lower than the 99th percentile. */
uint64_t tw_report_p99_bound_ns(const struct tw_report_interval_of *of);

#endif
