/* SPDX-License-Identifier: MIT */
/*
 * What is known of a clock beyond its error against CLOCK_MONOTONIC_RAW.
 */
#ifndef TW_REPORT_CLOCK_ERRORS_H
#define TW_REPORT_CLOCK_ERRORS_H

#include "command/reports/report.h"

/* What else is known of a clock, whose json is set. */
void tw_report_read_clock_errors(struct tw_report_clock *clock,
				 const char *name,
				 struct tw_report_problem *problem);

/* The clock as it was against CLOCK_MONOTONIC; 0: not in the file. */
int tw_report_clock_off_monotonic(const struct tw_report_clock *clock,
				  struct tw_report_clock *off);

#endif
