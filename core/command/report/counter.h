/* SPDX-License-Identifier: MIT */
/*
 * What must be known of the counter, in words.
 */
#ifndef TW_REPORT_COUNTER_H
#define TW_REPORT_COUNTER_H

#include "command/output/page.h"
#include "command/reports/report.h"

/* A warning, or nothing. */
void tw_report_warn_counter(struct tw_page *page, const struct tw_report_group *group);

/* Neutral: what could not be checked. */
void tw_report_add_unchecked(struct tw_page *page, const struct tw_report_group *group);

#endif
