/* SPDX-License-Identifier: MIT */
/*
 * Files of intervals in a group: added up where a job has no report, or where a part of
 * the run is wanted; and spread over the time of the run.
 */
#ifndef TW_REPORT_MERGE_INTERVALS_H
#define TW_REPORT_MERGE_INTERVALS_H

#include "command/reports/report.h"

/* A report of a file of intervals: what its header has. Return: as of
 * tw_report_read(). */
int tw_report_read_header(struct tw_report *report, const char *path,
			  struct tw_report_problem *problem);

/* Read the lines of all files of a group whose members are in place. Return: an enum
 * tw_exit. */
int tw_report_merge_intervals(struct tw_report_group *group,
			      const struct tw_report_span *span,
			      struct tw_report_problem *problem);

/* Has any of the groups something of the part of the run that was asked for? An enum
 * tw_exit. */
int tw_report_check_span(const struct tw_report_group *groups, size_t count,
			 struct tw_report_problem *problem);

/* Are all members files of intervals without a report? */
int tw_report_is_of_intervals(const struct tw_report_group *group);

#endif
