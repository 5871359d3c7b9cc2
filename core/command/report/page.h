/* SPDX-License-Identifier: MIT */
/*
 * Merged reports as a page (command/output/page.h), for the terminal and for HTML: the
 * whole (page.c), and its parts about a group.
 */
#ifndef TW_REPORT_PAGE_H
#define TW_REPORT_PAGE_H

#include "command/output/page.h"
#include "command/reports/report.h"

enum tw_report_with {
	/* What only HTML shows: plots, which take memory for each bin of each
	 * histogram, long tables, events. */
	TW_REPORT_WITH_HTML = 1,
	/* The table of clocks, also where no error matters. */
	TW_REPORT_WITH_CLOCKS = 2,
};

/* To be freed with tw_page_free(). @with: of enum tw_report_with. */
struct tw_page *tw_report_page(const struct tw_report_group *groups, size_t count,
			       unsigned with);

/* Plots of a direction: its stages, and the run over time (plots.c). */
void tw_report_add_plots(struct tw_page *page, const struct tw_report_group *group,
			 int direction);

/* Of a group with files of intervals: what it is of (over_time_table.c). */
void tw_report_add_empty(struct tw_page *page, const struct tw_report_group *group);
void tw_report_add_intervals(struct tw_page *page, const struct tw_report_group *group);

/* The run over time in a few rows, for text: of files of intervals, else of the reports
 * (over_time_table.c, over_time_text.c). */
void tw_report_add_over_time(struct tw_page *page, const struct tw_report_group *group);
void tw_report_add_cells(struct tw_page *page, const struct tw_report_group *group);

/* The slowest I/Os and what held up several of them (slowest.c). */
void tw_report_add_slowest(struct tw_page *page, const struct tw_report_group *group,
			   int with_html);

/* What fired tw_trigger, and the kernel's events around it (trigger_text.c). */
void tw_report_add_trigger(struct tw_page *page, const struct tw_report_group *group,
			   int with_html);

/* How far off each clock was (clocks.c). */
void tw_report_add_clocks(struct tw_page *page, const struct tw_report_group *group,
			  unsigned with);

/* The table of a group of `tickwise attach` by ring, file and operation; nothing for
 * other groups (attached_table.c). */
void tw_report_add_attached(struct tw_page *page, const struct tw_report_group *group);

/* Which device is the slow one, of a group or of all; nothing of one device
 * (devices.c). */
void tw_report_add_devices(struct tw_page *page, const struct tw_report_group *groups,
			   size_t count);

#endif
