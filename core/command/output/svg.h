/* SPDX-License-Identifier: MIT */
/*
 * SVG that needs no script: axes and lines. Coordinates are in units of a view that
 * the page scales.
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

/* Where a value is; those outside of the axis at its ends. */
double tw_svg_place(const struct tw_svg_axis *axis, double value);

/* As a file of its own, @width by @height pixels; @what names it for those who can't
 * see it. */
void tw_svg_begin_alone(FILE *file, int width, int height, const char *what);
void tw_svg_end(FILE *file);
void tw_svg_grid(FILE *file, double x1, double y1, double x2, double y2);

/* One line, in the class "s<color>" of the page's style, from left to right. Points that
 * are on the line between others are left out. Of a single place it is a dash, which is
 * seen. */
struct tw_svg_line {
	FILE *file;
	double x, y;			/* the last that was written */
	double next_x, next_y;		/* seen, and not written yet */
	double low, high;		/* directions, radians */
	int points;			/* that were written */
	int has_next;
};

struct tw_svg_line tw_svg_begin_line(FILE *file, int color);
void tw_svg_line_to(struct tw_svg_line *line, double x, double y);
void tw_svg_end_line(struct tw_svg_line *line);

#endif
