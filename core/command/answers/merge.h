/* SPDX-License-Identifier: MIT */
/*
 * Groups of jobs that belong together, and questions about them.
 */
#ifndef TW_REPORT_MERGE_H
#define TW_REPORT_MERGE_H

#include "command/answers/report.h"

/**
 * tw_report_merge - group the reports that belong together, and merge each group
 * @reports: are sorted by start, and their jobs get the files of intervals that
 *	are among the reports; not needed afterwards
 * @of_hosts: merge jobs that ran on several hosts at the same time
 * @groups: the result, released with tw_report_groups_free()
 *
 * Return: an enum tw_exit. If it is not TW_EXIT_GOOD, @problem has the reason:
 * the same job given twice, sums that don't fit.
 */
int tw_report_merge(struct tw_report *reports, size_t count, int of_hosts,
		    struct tw_report_group **groups, size_t *group_count,
		    struct tw_report_problem *problem);

/* Do the same for a part of the run. All jobs must have files of intervals, else
 * this is a problem, too. Intervals that are only partly in @span are used as a
 * whole. */
int tw_report_merge_span(struct tw_report *reports, size_t count, int of_hosts,
			 const struct tw_report_span *span,
			 struct tw_report_group **groups, size_t *group_count,
			 struct tw_report_problem *problem);
void tw_report_groups_free(struct tw_report_group *groups, size_t count);

/* Return the number of hosts, without that of the first job. */
size_t tw_report_other_hosts(const struct tw_report_group *group);

/* Do any of the groups have I/Os with this time? */
int tw_report_shows_time(const struct tw_report_group *groups, size_t count,
			 int time);

/* The first tells whether the table of a direction has a row. The second tells
 * whether there is anything to show, even if all I/Os failed. */
int tw_report_has_rows(const struct tw_report_group *group, int direction);
int tw_report_shows_direction(const struct tw_report_group *group,
			      int direction);

/* Is the group of files of intervals only? */
int tw_report_is_of_intervals(const struct tw_report_group *group);

#endif
