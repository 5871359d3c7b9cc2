/* SPDX-License-Identifier: MIT */
/*
 * What must be known of the counter, in words.
 */
#ifndef TW_REPORT_COUNTER_H
#define TW_REPORT_COUNTER_H

#include "command/report/report.h"

/* To be freed; NULL: there is nothing to say, or no memory. A warning, or just a
 * note? */
char *tw_report_counter_text(const struct tw_report_group *group);
int tw_report_counter_warns(const struct tw_report_group *group);

#endif
