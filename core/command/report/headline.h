/* SPDX-License-Identifier: MIT */
/*
 * What a group's page begins with: how fast it was, and what was measured.
 */
#ifndef TW_REPORT_HEADLINE_H
#define TW_REPORT_HEADLINE_H

#include "command/output/page.h"
#include "command/reports/report.h"

/* @is_only_one: the page has no other group that its number tells it from. */
void tw_report_add_headline(struct tw_page *page, const struct tw_report_group *group,
			    int is_only_one);

#endif
