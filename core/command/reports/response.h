/* SPDX-License-Identifier: MIT */
/*
 * fio's schedule, in jobs with a rate.
 */
#ifndef TW_REPORT_RESPONSE_H
#define TW_REPORT_RESPONSE_H

#include "command/output/page.h"
#include "command/reports/report.h"

/* Read, merge and print the schedule. tw_report_add_schedule() adds a sentence,
 * or nothing. tw_report_schedule_to_json() returns 0, or -1 without memory. */
void tw_report_read_schedule(struct tw_report_schedule *schedule,
			     const json_t *response,
			     struct tw_report_problem *problem);
void tw_report_merge_schedule(struct tw_report_schedule *into,
			      const struct tw_report_schedule *from);
void tw_report_add_schedule(struct tw_page *page, const struct tw_report_group *group,
			    int direction);
int tw_report_schedule_to_json(json_t *response,
			       const struct tw_report_schedule *schedule);

#endif
