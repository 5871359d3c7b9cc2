/* SPDX-License-Identifier: MIT */
/*
 * Describes in words what is counted apart from the I/Os, and which of them need a
 * word.
 */
#ifndef TW_REPORT_APART_H
#define TW_REPORT_APART_H

#include "command/output/page.h"
#include "command/answers/report.h"

/* Add a remark; nothing if there are no such I/Os. The second is about I/Os whose
 * figures differ from what they seem: some that moved nothing seem fast. */
void tw_report_add_apart(struct tw_page *page, const struct tw_tally *tally,
			 int direction);
void tw_report_add_among(struct tw_page *page, const struct tw_tally *tally,
			 int direction);

#endif
