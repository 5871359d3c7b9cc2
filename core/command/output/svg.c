/* SPDX-License-Identifier: MIT */
/*
 * Axes and lines as SVG.
 */
#include <math.h>

#include "svg.h"

/* Closer than this, two points are one. */
#define VISIBLE		0.6

double tw_svg_place(const struct tw_svg_axis *axis, double value)
{
	double at = axis->is_log ? log10(value) : value;

	if (!(at >= axis->low))
		at = axis->low;
	if (at > axis->high)
		at = axis->high;
	return axis->from + (at - axis->low) / (axis->high - axis->low) *
			    (axis->to - axis->from);
}

void tw_svg_begin_alone(FILE *file, int width, int height, const char *what)
{
	fprintf(file, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" "
		"height=\"%d\" viewBox=\"0 0 %d %d\" role=\"img\" "
		"aria-label=\"%s\">\n", width, height, width, height, what);
}

void tw_svg_end(FILE *file)
{
	fputs("</svg>\n", file);
}

void tw_svg_grid(FILE *file, double x1, double y1, double x2, double y2)
{
	fprintf(file, "<path class=\"grid\" d=\"M%.1f %.1fL%.1f %.1f\"/>\n",
		x1, y1, x2, y2);
}

struct tw_svg_line tw_svg_begin_line(FILE *file, int color)
{
	fprintf(file, "<path class=\"s%d\" d=\"", color);
	return (struct tw_svg_line) { .file = file };
}

void tw_svg_line_to(struct tw_svg_line *line, double x, double y)
{
	if (line->points && fabs(x - line->x) < VISIBLE &&
	    fabs(y - line->y) < VISIBLE)
		return;
	fprintf(line->file, "%c%.1f %.1f", line->points ? 'L' : 'M', x, y);
	line->x = x;
	line->y = y;
	line->points++;
}

void tw_svg_end_line(const struct tw_svg_line *line)
{
	/* A path without a point is none. */
	fputs(line->points ? "\"/>\n" : "M0 0\"/>\n", line->file);
}
