/* SPDX-License-Identifier: MIT */
/*
 * Reports of `tickwise attach`: of any program's rings, seen by the kernel alone, with a
 * table by ring, file and operation.
 */
#ifndef TW_REPORT_ATTACHED_H
#define TW_REPORT_ATTACHED_H

#include "command/output/page.h"
#include "command/reports/report.h"

/* If the report has it: 0; -ENOMEM. */
int tw_report_read_attached(struct tw_report *report,
			    struct tw_report_problem *problem);

/* Is the group, which is one report then, of `tickwise attach`? */
int tw_report_is_attached(const struct tw_report_group *group);

/* What a stage is: in such reports no engine sees the completion. */
const char *tw_report_time_is(const struct tw_report_group *groups, size_t count,
			      int time);

/* Add to the head which processes; what was lost or left out, or
 * nothing. */
void tw_report_add_attached_head(struct tw_page *page,
				 const struct tw_report_group *group);
void tw_report_add_lost(struct tw_page *page, const struct tw_report_group *group);

#endif
