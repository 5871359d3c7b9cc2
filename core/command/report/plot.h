/* SPDX-License-Identifier: MIT */
/*
 * The plots in a report's HTML: SVG that needs no script. Classes s0, s1, ...
 * are colours, which the page's style defines for light and dark.
 */
#ifndef TW_REPORT_PLOT_H
#define TW_REPORT_PLOT_H

#include <stdio.h>

#include "command/report/report.h"

/* The colour of one of enum tw_report_times, of those below TW_REPORT_ROWS. */
int tw_plot_color(int time);

/* The colours of mean, p99 and max over time: this one and the next two. */
#define TW_PLOT_OVER_TIME	20

/* Latency by percentile, over 1 / (1 - percentile), all rows that have I/Os of
 * the direction. */
void tw_plot_percentiles(FILE *file, const struct tw_report_tally *tally,
			 int direction);

/* The rows under each other: minimum, middle, tail, maximum, mean. */
void tw_plot_stages(FILE *file, const struct tw_report_tally *tally,
		    int direction);

/* lat, and I/Os a second, over the time of the run. */
void tw_plot_latency_over_time(FILE *file,
			       const struct tw_report_over_time *over_time,
			       int direction);
void tw_plot_rate_over_time(FILE *file,
			    const struct tw_report_over_time *over_time,
			    int direction);

#endif
