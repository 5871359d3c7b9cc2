/* SPDX-License-Identifier: MIT */
/*
 * Reports as a trace for a viewer.
 */
#ifndef TW_REPORT_TRACE_H
#define TW_REPORT_TRACE_H

#include "command/reports/report.h"

/* The slowest I/Os of every job for a viewer of traces. Returns as above. */
int tw_report_write_trace(const struct tw_report_group *groups, size_t count,
			  const char *path, struct tw_report_problem *problem);

#endif
