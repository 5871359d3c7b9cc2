/* SPDX-License-Identifier: MIT */
/*
 * The colour of a stage. It is the same in all plots.
 */
#ifndef TW_REPORT_COLORS_H
#define TW_REPORT_COLORS_H

/* @time: an enum tw_time below TW_REPORT_ROWS. */
int tw_report_color_of(int time);

/* Return the colour of a stage by its name. */
int tw_report_color_of_name(const char *name);

#endif
