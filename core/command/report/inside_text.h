/* SPDX-License-Identifier: MIT */
/*
 * How I/Os were split inside the kernel, in words.
 */
#ifndef TW_REPORT_INSIDE_TEXT_H
#define TW_REPORT_INSIDE_TEXT_H

#include "command/output/page.h"
#include "command/reports/report.h"

/* Of a direction how many I/Os were split; of the jobs that split nothing why; a warning
 * of a defect. Nothing where there is nothing to say. */
void tw_report_add_inside(struct tw_page *page, const struct tw_report_tally *tally,
			  int direction);
void tw_report_add_not_split(struct tw_page *page, const struct tw_report_group *group);
void tw_report_warn_inside(struct tw_page *page, const struct tw_report_group *group);

#endif
