/* SPDX-License-Identifier: MIT */
/*
 * What the plots over time of a direction are made of.
 */
#ifndef TW_REPORT_OVER_TIME_PLOTS_H
#define TW_REPORT_OVER_TIME_PLOTS_H

#include "command/output/page.h"
#include "command/reports/report.h"

struct tw_plot;

/* Lat by time as a heat map; nothing without files of intervals (heat_plot.c). */
void tw_report_add_heat(struct tw_page *page, const struct tw_report_group *group,
			int direction);

/* The longest stalls, where they were seen, by their numbers; the caption tells their
 * causes (stall_marks.c). */
void tw_report_mark_stalls(struct tw_plot *plot, const struct tw_report_group *group,
			   int direction);

#endif
