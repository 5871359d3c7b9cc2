/* SPDX-License-Identifier: MIT */
/*
 * Makes the JSON of merged reports.
 */
#ifndef TW_REPORT_JSON_H
#define TW_REPORT_JSON_H

#include "command/reports/report.h"

/* Return a reference for the caller; NULL without memory. */
json_t *tw_report_groups_to_json(const struct tw_report_group *groups,
				 size_t count);

#endif
