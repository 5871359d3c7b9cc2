/* SPDX-License-Identifier: MIT */
/*
 * Draws a plot of a page as SVG that needs no script: a view with axes, which the page
 * scales to its own width. Letters are larger on narrow screens; the margins have room
 * for these. The classes s0, s1, ... are colours, which the page's style defines for
 * light and dark.
 */
#ifndef TW_OUTPUT_DRAW_H
#define TW_OUTPUT_DRAW_H

#include "command/output/model.h"

#define TW_VIEW_WIDTH	640
#define TW_VIEW_HEIGHT	372
#define TW_VIEW_RIGHT	46
#define TW_VIEW_TOP	34
#define TW_VIEW_BOTTOM	70
#define TW_VIEW_LEFT	86

/* Width of the largest letters, at most. */
#define TW_VIEW_LETTER	11.5
#define TW_VIEW_LINE	25

/* ---- svg.c: texts and axes ---- */

/* Escape the characters of HTML, and write '?' for what can't be shown (plain_text.h). */
void tw_html_text(FILE *file, const char *text);

/* Begin a file of @width by @height pixels. @what describes the drawing for readers who
 * can't see it. */
void tw_svg_begin_alone(FILE *file, int width, int height, const char *what);
void tw_svg_end(FILE *file);
/* Print a text; nothing for "". */
void tw_svg_label(FILE *file, double x, double y, const char *anchor, const char *text);

struct tw_range {
	double min, max;
};

/* One axis: values, or their logarithms, from one coordinate to another. */
struct tw_svg_axis {
	double low, high;		/* of the values, or log10 of them */
	double from, to;
	int is_log;
};

int tw_axis_is_log(enum tw_plot_unit unit);
/* Return an axis that contains all of @range. */
struct tw_svg_axis tw_axis_of(enum tw_plot_unit unit, struct tw_range range,
			      double from, double to);
/* Return the coordinate of a value. Values outside the axis are at its ends. */
double tw_svg_place(const struct tw_svg_axis *axis, double value);

/* Where to draw marks, which have round names. A mark of x is a vertical line with its
 * name below, a mark of y a horizontal line. */
struct tw_axis_side {
	FILE *file;
	const struct tw_svg_axis *axis;
	int is_x;
	double from, to;		/* ends of the lines */
	double taken;			/* names of x are drawn up to here */
};

void tw_axis_marks(struct tw_axis_side side, enum tw_plot_unit unit);

/* ---- draw.c ---- */

/* The second draws one of the bars that are divided into parts, which have a drawing each. */
void tw_draw_plot(FILE *file, const struct tw_plot *plot);
void tw_draw_stack(FILE *file, const struct tw_plot *plot, const struct tw_series *stack);
/* Is a part at least 1 percent of the page wide? */
int tw_draw_is_seen(const struct tw_plot *plot, const struct tw_series *stack,
		    const struct tw_part *part);

#endif
