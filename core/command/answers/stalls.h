/* SPDX-License-Identifier: MIT */
/*
 * Stalls: slow I/Os that were held up together.
 */
#ifndef TW_REPORT_STALLS_H
#define TW_REPORT_STALLS_H

#include "command/output/page.h"
#include "command/answers/report.h"

/* The first finds the stalls of a group. The second describes a stall. Return: 0 if it
 * held up one I/O only. */
void tw_report_find_stalls(struct tw_report_group *group);
int tw_report_add_stall(struct tw_page *page, const struct tw_report_group *group,
			const struct tw_report_stall *stall);
json_t *tw_report_stalls_to_json(const struct tw_report_group *group);

#endif
