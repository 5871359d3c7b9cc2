/* SPDX-License-Identifier: MIT */
/*
 * The mean latency as the sum of its stages, in words.
 */
#ifndef TW_REPORT_SUM_H
#define TW_REPORT_SUM_H

#include "command/report/report.h"

/* The mean of lat and the stages it is the sum of, and the time inside the
 * submitting call; 0: there is none. */
int tw_report_say_sum(char *text, size_t size,
		      const struct tw_report_group *group, int direction);
int tw_report_say_call(char *text, size_t size,
		       const struct tw_report_tally *tally, int direction);

#endif
