/* SPDX-License-Identifier: MIT */
/*
 * What must be known of the counter, in words.
 */
#ifndef TW_REPORT_COUNTER_H
#define TW_REPORT_COUNTER_H

#include "command/output/page.h"
#include "command/reports/report.h"

/* A warning, a note, or nothing. */
void tw_report_add_counter(struct tw_page *page, const struct tw_report_group *group);

#endif
