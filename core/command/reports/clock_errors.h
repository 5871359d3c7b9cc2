/* SPDX-License-Identifier: MIT */
/*
 * What is known about a clock in addition to its error against
 * CLOCK_MONOTONIC_RAW.
 */
#ifndef TW_REPORT_CLOCK_ERRORS_H
#define TW_REPORT_CLOCK_ERRORS_H

#include "command/reports/report.h"

/* Read it, from the clock's json. */
void tw_report_read_clock_errors(struct tw_report_clock *clock,
				 const char *name,
				 struct tw_report_problem *problem);

/* Return the clock with its error against CLOCK_MONOTONIC. Return: 0: not in
 * the file. */
int tw_report_clock_off_monotonic(const struct tw_report_clock *clock,
				  struct tw_report_clock *off);

#endif
