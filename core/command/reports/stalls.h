/* SPDX-License-Identifier: MIT */
/*
 * Slow I/Os that were hit together.
 */
#ifndef TW_REPORT_STALLS_H
#define TW_REPORT_STALLS_H

#include "command/output/page.h"
#include "command/reports/report.h"

/* Find those of a group: 0; -ENOMEM. One in words: 0 if it hit one I/O alone. */
int tw_report_find_stalls(struct tw_report_group *group);
int tw_report_add_stall(struct tw_page *page, const struct tw_report_stall *stall);
json_t *tw_report_stalls_to_json(const struct tw_report_group *group);

#endif
