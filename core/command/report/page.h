/* SPDX-License-Identifier: MIT */
/*
 * Merged reports as a page (command/output/page.h), for the terminal and for
 * HTML: the whole page (page.c), and its parts for a group.
 */
#ifndef TW_REPORT_PAGE_H
#define TW_REPORT_PAGE_H

#include "command/output/page.h"
#include "command/answers/report.h"

enum tw_report_with {
	/* Parts that only HTML shows: long tables, events, and plots, which
	 * take memory for each bin of each histogram. */
	TW_REPORT_WITH_HTML = 1,
	/* The table of clocks, even if no error matters. */
	TW_REPORT_WITH_CLOCKS = 2,
};

/* Return the page, to be freed with tw_page_free(). @with: bits of enum
 * tw_report_with. */
struct tw_page *tw_report_page(const struct tw_report_group *groups, size_t count,
			       unsigned with);

/* Add the plots of a direction: its stages, and the run over time (plots.c). */
void tw_report_add_plots(struct tw_page *page, const struct tw_report_group *group,
			 int direction);

/* For a group with files of intervals: add what the files contain
 * (over_time_table.c). */
void tw_report_add_empty(struct tw_page *page, const struct tw_report_group *group);
void tw_report_add_intervals(struct tw_page *page, const struct tw_report_group *group);

/* Add the run over time in a few rows (over_time_table.c). */
void tw_report_add_over_time(struct tw_page *page, const struct tw_report_group *group);

/* Add the slowest I/Os, and what held up several of them (slowest.c). */
void tw_report_add_slowest(struct tw_page *page, const struct tw_report_group *group,
			   int with_html);

/* Add what fired tw_trigger, and the kernel's events around it
 * (trigger_text.c). */
void tw_report_add_trigger(struct tw_page *page, const struct tw_report_group *group,
			   int with_html);

/* Add how far off each clock was (clocks.c). */
void tw_report_add_clocks(struct tw_page *page, const struct tw_report_group *group,
			  unsigned with);

/* Add the table of a group of `tickwise attach` by ring, file and operation;
 * nothing for other groups (attached_table.c). */
void tw_report_add_attached(struct tw_page *page, const struct tw_report_group *group);

/* Add which devices are slow, of a group or of all groups; nothing if there is
 * one device (devices.c). */
void tw_report_add_devices(struct tw_page *page, const struct tw_report_group *groups,
			   size_t count);

#endif
