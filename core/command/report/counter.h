/* SPDX-License-Identifier: MIT */
/*
 * Describes in words what readers must know about the counter.
 */
#ifndef TW_REPORT_COUNTER_H
#define TW_REPORT_COUNTER_H

#include "command/output/page.h"
#include "command/answers/report.h"

/* Add a warning, or nothing. */
void tw_report_warn_counter(struct tw_page *page, const struct tw_report_group *group);

/* Add what could not be checked, which is no warning. */
void tw_report_add_unchecked(struct tw_page *page, const struct tw_report_group *group);

#endif
