/* SPDX-License-Identifier: MIT */
/*
 * Groups of jobs that belong together, and what there is of them to be shown.
 */
#ifndef TW_REPORT_MERGE_H
#define TW_REPORT_MERGE_H

#include "command/reports/report.h"

/**
 * tw_report_merge - put jobs together that belong together
 * @reports: re-ordered by start; must outlive the groups
 * @of_hosts: also jobs that ran on several hosts at the same time
 * @groups: the result, released with tw_report_groups_free()
 *
 * Return: an enum tw_exit; other than TW_EXIT_GOOD, @problem says why: the same
 * job given twice, sums that don't fit, no memory.
 */
int tw_report_merge(struct tw_report *reports, size_t count, int of_hosts,
		    struct tw_report_group **groups, size_t *group_count,
		    struct tw_report_problem *problem);

/* The same of a part of the run, of members with files of intervals: of the whole
 * intervals that are in @span, or partly. Another problem: they are not. */
int tw_report_merge_span(struct tw_report *reports, size_t count, int of_hosts,
			 const struct tw_report_span *span,
			 struct tw_report_group **groups, size_t *group_count,
			 struct tw_report_problem *problem);

/* 0; -EOVERFLOW; -EINVAL: digits differ; -ENOMEM. */
int tw_report_merge_tally(struct tw_report_tally *into,
			  const struct tw_report_tally *from);

/* How many hosts it is of, not counting that of its first member. */
size_t tw_report_other_hosts(const struct tw_report_group *group);
void tw_report_groups_free(struct tw_report_group *groups, size_t count);

/* Has any of the groups I/Os with this time? */
int tw_report_shows_time(const struct tw_report_group *groups, size_t count,
			 int time);

/* Has the table of a direction a row? Or is there anything to be shown, if only
 * that all of its I/Os failed? */
int tw_report_has_rows(const struct tw_report_group *group, int direction);
int tw_report_shows_direction(const struct tw_report_group *group,
			      int direction);

#endif
