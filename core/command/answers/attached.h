/* SPDX-License-Identifier: MIT */
/*
 * Reports of `tickwise attach`. They are of the rings of any program, seen by
 * the kernel alone, and have a table by ring, file and operation.
 */
#ifndef TW_REPORT_ATTACHED_H
#define TW_REPORT_ATTACHED_H

#include "command/output/page.h"
#include "command/answers/report.h"

/* Is the group of `tickwise attach`? Such a group is one report. */
int tw_report_is_attached(const struct tw_report_group *group);

/* Return what a stage means. In these reports no engine sees the completion. */
const char *tw_report_time_is(const struct tw_report_group *groups, size_t count,
			      int time);

/* Return how many rings there were, with those that could not be followed. */
uint64_t tw_report_attached_rings(const struct tw_report_group *group);

/* The first adds to the headline which processes were watched. The others add
 * what was only counted, and what was lost or left out, or nothing. */
void tw_report_add_attached_head(struct tw_page *page,
				 const struct tw_report_group *group);
void tw_report_add_others(struct tw_page *page, const struct tw_report_group *group);
void tw_report_add_lost(struct tw_page *page, const struct tw_report_group *group);

#endif
