/* SPDX-License-Identifier: MIT */
/*
 * The parts of a direction's plots over time.
 */
#ifndef TW_REPORT_OVER_TIME_PLOTS_H
#define TW_REPORT_OVER_TIME_PLOTS_H

#include "command/output/page.h"
#include "command/answers/report.h"

struct tw_plot;

/* Add a heat map of lat over time; nothing if this was not recorded (heat_plot.c). */
void tw_report_add_heat(struct tw_page *page, const struct tw_report_group *group,
			int direction);

/* Mark the longest stalls with numbers at the times they happened. The caption
 * describes their causes (stall_marks.c). */
void tw_report_mark_stalls(struct tw_plot *plot, const struct tw_report_group *group,
			   int direction);

#endif
