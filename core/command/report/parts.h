/* SPDX-License-Identifier: MIT */
/*
 * Into which stages the mean lat of a direction is divided, and lat at its percentiles.
 */
#ifndef TW_REPORT_PARTS_H
#define TW_REPORT_PARTS_H

#include "command/output/page.h"
#include "command/reports/report.h"

/* Bars for HTML; nothing where stages were not recorded. */
void tw_report_add_parts(struct tw_page *page, const struct tw_report_tally *tally,
			 int direction);

/* The same as numbers, of more percentiles; nothing where a report doesn't have them. */
void tw_report_add_parts_table(struct tw_page *page, const struct tw_report_tally *tally,
			       int direction);

#endif
