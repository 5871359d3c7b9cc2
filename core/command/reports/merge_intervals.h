/* SPDX-License-Identifier: MIT */
/*
 * Adds files of intervals to a group. Their lines are added up if a job has no
 * report, or if a part of the run is wanted. They also give the run over time.
 */
#ifndef TW_REPORT_MERGE_INTERVALS_H
#define TW_REPORT_MERGE_INTERVALS_H

#include "command/reports/report.h"

/* Read the header of a file of intervals into a report. Return: as
 * tw_report_read(). */
int tw_report_read_header(struct tw_report *report, const char *path,
			  struct tw_report_problem *problem);

/* Read the lines of all files of a group, after its members were added. Return:
 * an enum tw_exit. */
int tw_report_merge_intervals(struct tw_report_group *group,
			      const struct tw_report_span *span,
			      struct tw_report_problem *problem);

/* Do any of the groups have lines of the part of the run that was asked for?
 * Return: an enum tw_exit. */
int tw_report_check_span(const struct tw_report_group *groups, size_t count,
			 struct tw_report_problem *problem);

/* Are all members files of intervals without a report? */
int tw_report_is_of_intervals(const struct tw_report_group *group);

#endif
