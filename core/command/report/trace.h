/* SPDX-License-Identifier: MIT */
/*
 * Writes reports as a trace for a viewer.
 */
#ifndef TW_REPORT_TRACE_H
#define TW_REPORT_TRACE_H

#include "command/answers/report.h"

/* Write the slowest I/Os of every job. Return: an enum tw_exit. If it is not
 * TW_EXIT_GOOD, @problem has the reason. */
int tw_report_write_trace(const struct tw_report_group *groups, size_t count,
			  const char *path, struct tw_report_problem *problem);

#endif
