/* SPDX-License-Identifier: MIT */
/*
 * Shows how the mean lat of a direction, and lat at its percentiles, divide
 * into stages.
 */
#ifndef TW_REPORT_PARTS_H
#define TW_REPORT_PARTS_H

#include "command/output/page.h"
#include "command/answers/report.h"

/* Add bars for HTML; nothing if stages were not recorded. */
void tw_report_add_parts(struct tw_page *page, const struct tw_tally *tally,
			 int direction);

/* Add the numbers, of more percentiles; nothing if a report does not have
 * them. */
void tw_report_add_parts_table(struct tw_page *page, const struct tw_tally *tally,
			       int direction);

#endif
