/* SPDX-License-Identifier: MIT */
/*
 * What is counted apart from the I/Os, in words.
 */
#ifndef TW_REPORT_APART_H
#define TW_REPORT_APART_H

#include "command/output/page.h"
#include "command/reports/report.h"

/* Nothing where there are none. */
void tw_report_add_apart(struct tw_page *page, const struct tw_report_tally *tally,
			 int direction);

#endif
