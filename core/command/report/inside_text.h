/* SPDX-License-Identifier: MIT */
/*
 * Describes in words how I/Os were split inside the kernel.
 */
#ifndef TW_REPORT_INSIDE_TEXT_H
#define TW_REPORT_INSIDE_TEXT_H

#include "command/output/page.h"
#include "command/answers/report.h"

/* The first adds how many I/Os of a direction were split. The second adds why
 * jobs split none. The third warns of a defect. Each adds nothing if it does
 * not apply. */
void tw_report_add_inside(struct tw_page *page, const struct tw_report_group *group,
			  int direction);
void tw_report_add_not_split(struct tw_page *page, const struct tw_report_group *group);
void tw_report_warn_inside(struct tw_page *page, const struct tw_report_group *group);

#endif
