/* SPDX-License-Identifier: MIT */
/*
 * How I/Os were split inside the kernel, in words.
 */
#ifndef TW_REPORT_INSIDE_TEXT_H
#define TW_REPORT_INSIDE_TEXT_H

#include "command/report/report.h"

/* Of a direction how many I/Os were split; of the jobs that split nothing why, to be
 * freed; a warning of a defect. 0 and NULL: there is nothing to say, or no memory. */
int tw_report_say_inside(char *text, size_t size,
			 const struct tw_report_tally *tally, int direction);
char *tw_report_not_split_text(const struct tw_report_group *group);
int tw_report_warn_inside(char *text, size_t size,
			  const struct tw_report_group *group);

#endif
