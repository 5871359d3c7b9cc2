/* SPDX-License-Identifier: MIT */
/*
 * How I/Os were split inside the kernel.
 */
#ifndef TW_REPORT_INSIDE_H
#define TW_REPORT_INSIDE_H

#include "command/reports/report.h"

/* Read it, after the I/Os were counted. Return: 0; -ENOMEM. */
int tw_report_read_inside(struct tw_report *report,
			  struct tw_report_problem *problem);

/* Read the counts of a line of intervals (intervals.h), which has no state.
 * Return: 0; -ENOMEM. */
int tw_report_read_inside_counts(struct tw_report *report,
				 struct tw_report_problem *problem);

/* Add them. Return: not 0 if a sum is too large. */
int tw_report_merge_inside(struct tw_report_inside *into,
			   const struct tw_report_inside *from);

#endif
