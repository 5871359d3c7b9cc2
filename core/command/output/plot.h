/* SPDX-License-Identifier: MIT */
/*
 * A plot of a page. HTML draws it; other media have its numbers in a table.
 * Axes are as long as the data need.
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
	TW_PLOT_TIME,		/* seconds from 0 to the last point; "20 min" */
	TW_PLOT_CHANGE,		/* percent, always with 0; "+10" */
};

/* Number of colours in the style. Lines and marks of these are visible in light
 * and dark. */
#define TW_PLOT_COLORS	15
/* Three that go together: mean, p99, maximum. */
#define TW_PLOT_MEAN	20
#define TW_PLOT_P99	21
#define TW_PLOT_MAX	22

void tw_plot_x(struct tw_plot *plot, enum tw_plot_unit unit, const char *label);
void tw_plot_y(struct tw_plot *plot, enum tw_plot_unit unit, const char *label);
/* Extend the axis of x to this value. */
void tw_plot_reach_x(struct tw_plot *plot, double x);
/* Set the text below the plot. */
void tw_plot_caption(struct tw_plot *plot, const char *caption);
/* Add a vertical line with a name. */
void tw_plot_border(struct tw_plot *plot, double x, const char *name);
/* Add a horizontal line below the data, to compare them with. Its name is in
 * the legend. */
void tw_plot_rule(struct tw_plot *plot, double y, const char *name);

/* Add a line; the first line is drawn on top. @name is for the legend; NULL:
 * the line is not in it. Never returns NULL. */
struct tw_series *tw_plot_line(struct tw_plot *plot, const char *name, int color);
void tw_plot_point(struct tw_series *series, double x, double y);
/* Add an area below the lines, by points with its lower and upper ends. */
struct tw_series *tw_plot_band(struct tw_plot *plot, const char *name, int color);
void tw_plot_band_point(struct tw_series *band, double x, double low, double high);

/* Add a dot, which can be off the line, and its title. */
void tw_plot_dot(struct tw_series *series, double x, double y, const char *format, ...)
	TW_PRINTF(4, 5);

/* Add a dot with a text that is always visible, if there is room. */
void tw_plot_tag(struct tw_series *series, double x, double y, const char *tag,
		 const char *format, ...) TW_PRINTF(5, 6);

/* Draw counts as colours, on a logarithmic scale, below the lines. Cell [column
 * * rows + row] is between the edges x[column] and x[column + 1], y[row] and
 * y[row + 1]. The data are copied. */
struct tw_plot_heat {
	size_t columns, rows;
	const double *x, *y;
	const uint64_t *counts;
};

void tw_plot_heat(struct tw_plot *plot, const struct tw_plot_heat *heat);

/* Add a bar in a row of its own, as wide as the plot, which is divided into
 * parts. Its name is above it. A plot with such bars has no other data. The
 * legend has the parts. */
struct tw_series *tw_plot_stack(struct tw_plot *plot, const char *format, ...)
	TW_PRINTF(2, 3);
/* Give all bars the same scale: the largest total is as wide as the plot. */
void tw_plot_same_scale(struct tw_plot *plot);
void tw_plot_part(struct tw_series *stack, const char *name, int color, double size);

/* A horizontal bar in a row of its own: thin from @low to @high, thick from
 * @from to @to, with a ring at @mean. A plot has either lines or bars. */
struct tw_plot_bar {
	double low, from, mean, to, high;
};

void tw_plot_bar(struct tw_plot *plot, const char *name, int color,
		 const struct tw_plot_bar *bar, const char *format, ...)
	TW_PRINTF(5, 6);

#endif
