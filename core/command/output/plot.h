/* SPDX-License-Identifier: MIT */
/*
 * A plot of a page. HTML draws it; a table beside it has the numbers for other media.
 * Axes reach as far as the data.
 */
#ifndef TW_OUTPUT_PLOT_H
#define TW_OUTPUT_PLOT_H

#include <stdint.h>

#include "command/output/page.h"

struct tw_series;

enum tw_plot_unit {
	TW_PLOT_NUMBER,		/* from 0 on; "20 k" */
	TW_PLOT_NS,		/* logarithmic; "10 us" */
	TW_PLOT_BYTES,		/* logarithmic; "64K" */
	TW_PLOT_TAIL,		/* 1 / (1 - part), logarithmic; "99.9" */
	TW_PLOT_TIME,		/* seconds from 0 on; "20 min"; ends where the data do */
	TW_PLOT_CHANGE,		/* of percents, 0 in any case; "+10" */
};

/* Of the style: lines and marks in it are seen in light and dark. */
#define TW_PLOT_COLORS	15
/* Three that go together: mean, p99, maximum. */
#define TW_PLOT_MEAN	20
#define TW_PLOT_P99	21
#define TW_PLOT_MAX	22

void tw_plot_x(struct tw_plot *plot, enum tw_plot_unit unit, const char *label);
void tw_plot_y(struct tw_plot *plot, enum tw_plot_unit unit, const char *label);
/* The axis of x reaches as far as this, too. */
void tw_plot_reach_x(struct tw_plot *plot, double x);
/* Below the plot. */
void tw_plot_caption(struct tw_plot *plot, const char *caption);
/* A vertical line with a name. */
void tw_plot_border(struct tw_plot *plot, double x, const char *name);
/* A horizontal line, below the data, and its name in the legend: what they are held
 * against. */
void tw_plot_rule(struct tw_plot *plot, double y, const char *name);

/* A line; the first one is drawn over the others. @name is in the legend; NULL: there is
 * none. Never NULL. */
struct tw_series *tw_plot_line(struct tw_plot *plot, const char *name, int color);
void tw_plot_point(struct tw_series *series, double x, double y);
/* An area, below the lines: points with its ends. */
struct tw_series *tw_plot_band(struct tw_plot *plot, const char *name, int color);
void tw_plot_band_point(struct tw_series *band, double x, double low, double high);

/* A dot, which need not be on the line, and what it tells. */
void tw_plot_dot(struct tw_series *series, double x, double y, const char *format, ...)
	TW_PRINTF(4, 5);

/* A dot with a text that is always seen, where there is room. */
void tw_plot_tag(struct tw_series *series, double x, double y, const char *tag,
		 const char *format, ...) TW_PRINTF(5, 6);

/* Counts as colours, on a logarithmic scale, below the lines: cell [column * rows + row]
 * is between the edges x[column] and x[column + 1], y[row] and y[row + 1]. Copied. */
struct tw_plot_heat {
	size_t columns, rows;
	const double *x, *y;
	const uint64_t *counts;
};

void tw_plot_heat(struct tw_plot *plot, const struct tw_plot_heat *heat);

/* A bar in a row of its own, as wide as the plot, and how it is divided into parts; the
 * name is above it. A plot of these has nothing else. Parts have the legend. */
struct tw_series *tw_plot_stack(struct tw_plot *plot, const char *format, ...)
	TW_PRINTF(2, 3);
/* Bars are as wide as their whole, the largest as wide as the plot. */
void tw_plot_same_scale(struct tw_plot *plot);
void tw_plot_part(struct tw_series *stack, const char *name, int color, double size);

/* A horizontal bar in a row of its own: thin from @low to @high, thick from @from to
 * @to, with a ring at @mean. A plot has lines or bars. */
struct tw_plot_bar {
	double low, from, mean, to, high;
};

void tw_plot_bar(struct tw_plot *plot, const char *name, int color,
		 const struct tw_plot_bar *bar, const char *format, ...)
	TW_PRINTF(5, 6);

#endif
