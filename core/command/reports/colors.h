/* SPDX-License-Identifier: MIT */
/*
 * The colour of a stage, the same in all plots.
 */
#ifndef TW_REPORT_COLORS_H
#define TW_REPORT_COLORS_H

/* @time: of the rows of enum tw_report_times. */
int tw_report_color_of(int time);

/* Of a stage's name. */
int tw_report_color_of_name(const char *name);

#endif
