/* SPDX-License-Identifier: MIT */
/*
 * Where the time of the slowest I/Os went, and why.
 */
#ifndef TW_REPORT_WHY_H
#define TW_REPORT_WHY_H

#include "command/reports/report.h"

/* Of a direction, in words: 0: there is nothing to say. The last one: why it is not known
 * why, if that was asked for. */
int tw_report_say_why(char *text, size_t size,
		      const struct tw_report_group *group, int direction);
json_t *tw_report_why_to_json(const struct tw_report_group *group);
const char *tw_report_why_not(const struct tw_report_group *group);

#endif
