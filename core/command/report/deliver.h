/* SPDX-License-Identifier: MIT */
/*
 * What makes the stage deliver large, in a sentence for the page.
 */
#ifndef TW_REPORT_DELIVER_H
#define TW_REPORT_DELIVER_H

#include "command/output/page.h"
#include "command/answers/report.h"

/* Nothing where deliver is small, or where the job's options do not explain it. */
void tw_report_add_deliver(struct tw_page *page, const struct tw_report_group *group);

#endif
