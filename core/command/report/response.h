/* SPDX-License-Identifier: MIT */
/*
 * fio's schedule, in jobs with a rate.
 */
#ifndef TW_REPORT_RESPONSE_H
#define TW_REPORT_RESPONSE_H

#include "command/report/report.h"

/* The schedule of jobs with a rate. The sentence about it
 * is 0 where there is nothing to say; the other int -1 without memory. */
void tw_report_read_schedule(struct tw_report_schedule *schedule,
			     const json_t *response,
			     struct tw_report_problem *problem);
void tw_report_merge_schedule(struct tw_report_schedule *into,
			      const struct tw_report_schedule *from);
int tw_report_say_schedule(char *text, size_t size,
			   const struct tw_report_group *group, int direction);
int tw_report_schedule_to_json(json_t *response,
			       const struct tw_report_schedule *schedule);

#endif
