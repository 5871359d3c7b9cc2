/* SPDX-License-Identifier: MIT */
/*
 * Makes one table of merged reports, for --csv.
 */
#ifndef TW_REPORT_CSV_H
#define TW_REPORT_CSV_H

#include <stddef.h>

#include "command/output/page.h"
#include "command/answers/report.h"

/* Add the table to @page. Only CSV shows it. */
struct tw_table *tw_report_csv(struct tw_page *page, const struct tw_report_group *groups,
			       size_t count);

#endif
