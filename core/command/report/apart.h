/* SPDX-License-Identifier: MIT */
/*
 * Describes in words what is counted apart from the I/Os.
 */
#ifndef TW_REPORT_APART_H
#define TW_REPORT_APART_H

#include "command/output/page.h"
#include "command/reports/report.h"

/* Add a remark; nothing if there are no such I/Os. */
void tw_report_add_apart(struct tw_page *page, const struct tw_report_tally *tally,
			 int direction);

#endif
