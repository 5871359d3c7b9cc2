/* SPDX-License-Identifier: MIT */
/*
 * Makes the JSON of groups.
 */
#ifndef TW_REPORT_JSON_H
#define TW_REPORT_JSON_H

#include "command/answers/report.h"

/* Return a group's report, with what is derived from it as "answers". */
json_t *tw_report_group_to_json(const struct tw_report_group *group);

/* Return an array of these. */
json_t *tw_report_groups_to_json(const struct tw_report_group *groups,
				 size_t count);

#endif
