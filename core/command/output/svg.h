/* SPDX-License-Identifier: MIT */
/*
 * Writes SVG that needs no script: axes and lines. Coordinates are in units of
 * a view that the page scales.
 */
#ifndef TW_SVG_H
#define TW_SVG_H

#include <stdio.h>

/* One axis: values, or their logarithms, from one coordinate to another. */
struct tw_svg_axis {
	double low, high;		/* of the values, or log10 of them */
	double from, to;
	int is_log;
};

/* Return the coordinate of a value. Values outside the axis are at its ends. */
double tw_svg_place(const struct tw_svg_axis *axis, double value);

/* Begin a file of @width by @height pixels. @what describes the drawing for
 * readers who can't see it. */
void tw_svg_begin_alone(FILE *file, int width, int height, const char *what);
void tw_svg_end(FILE *file);
void tw_svg_grid(FILE *file, double x1, double y1, double x2, double y2);

/* A line in the class "s<color>" of the page's style, drawn from left to right.
 * Points on the line between others are left out. A line with a single point is
 * a dash, so that it is visible. */
struct tw_svg_line {
	FILE *file;
	double x, y;			/* the last point written */
	double next_x, next_y;		/* the last point given, not written yet */
	double low, high;		/* directions, in radians */
	int points;			/* number of points written */
	int has_next;
};

struct tw_svg_line tw_svg_begin_line(FILE *file, int color);
void tw_svg_line_to(struct tw_svg_line *line, double x, double y);
void tw_svg_end_line(struct tw_svg_line *line);

#endif
