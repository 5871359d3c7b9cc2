/* SPDX-License-Identifier: MIT */
/*
 * Where the time of the slowest I/Os went, and why.
 */
#ifndef TW_REPORT_WHY_H
#define TW_REPORT_WHY_H

#include "command/answers/report.h"

/* The first describes a direction. Return: 0: there is nothing to describe. The
 * last one returns why causes are not known although they were asked for; or
 * NULL. */
int tw_report_say_why(char *text, size_t size,
		      const struct tw_report_group *group, int direction);
json_t *tw_report_why_to_json(const struct tw_report_group *group);
const char *tw_report_why_not(const struct tw_report_group *group);

#endif
