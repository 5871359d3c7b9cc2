/* SPDX-License-Identifier: MIT */
/*
 * Merged reports as JSON.
 */
#ifndef TW_REPORT_JSON_H
#define TW_REPORT_JSON_H

#include "command/reports/report.h"

/* NULL without memory; the caller's reference. */
json_t *tw_report_groups_to_json(const struct tw_report_group *groups,
				 size_t count);

#endif
