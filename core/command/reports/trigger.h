/* SPDX-License-Identifier: MIT */
/*
 * What tw_trigger kept.
 */
#ifndef TW_REPORT_TRIGGER_H
#define TW_REPORT_TRIGGER_H

#include "command/reports/report.h"

/* Read it; and return the JSON of a group: null if no job has any, NULL without
 * memory. */
void tw_report_read_trigger(struct tw_report *report,
			    struct tw_report_problem *problem);
json_t *tw_report_trigger_to_json(const struct tw_report_group *group);

#endif
