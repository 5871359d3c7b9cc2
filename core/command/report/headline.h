/* SPDX-License-Identifier: MIT */
/*
 * The first part of a group's page: its main figures, and what was measured.
 */
#ifndef TW_REPORT_HEADLINE_H
#define TW_REPORT_HEADLINE_H

#include "command/output/page.h"
#include "command/answers/report.h"

/* @is_only_one: the page has one group, so its number is not needed. */
void tw_report_add_headline(struct tw_page *page, const struct tw_report_group *group,
			    int is_only_one);

#endif
