/* SPDX-License-Identifier: MIT */
/*
 * Writes axes and lines as SVG.
 */
#include <math.h>

#include "svg.h"

/* A point nearer to a line than this counts as on the line. */
#define VISIBLE		0.4
/* The precision of written coordinates. */
#define EQUAL		0.05

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

static void put_point(struct tw_svg_line *line, double x, double y)
{
	if (!line->points)
		fprintf(line->file, "M%.1f %.1f", x, y);
	else if (fabs(y - line->y) < EQUAL)
		fprintf(line->file, "H%.1f", x);
	else if (fabs(x - line->x) < EQUAL)
		fprintf(line->file, "V%.1f", y);
	else
		fprintf(line->file, "L%.1f %.1f", x, y);
	line->x = x;
	line->y = y;
	line->points++;
	line->low = -HUGE_VAL;
	line->high = HUGE_VAL;
	line->has_next = 0;
}

/* Can the line go straight on to this point? Directions from @low to @high pass
 * near enough to all points that were left out since the last one written. */
static int is_ahead(struct tw_svg_line *line, double x, double y)
{
	const double far = hypot(x - line->x, y - line->y);
	const double direction = atan2(y - line->y, x - line->x);
	const double most = far > VISIBLE ? asin(VISIBLE / far) : HUGE_VAL;

	if (x < line->x || direction < line->low || direction > line->high)
		return 0;
	line->low = fmax(line->low, direction - most);
	line->high = fmin(line->high, direction + most);
	return 1;
}

void tw_svg_line_to(struct tw_svg_line *line, double x, double y)
{
	if (line->points && line->has_next && !is_ahead(line, x, y))
		put_point(line, line->next_x, line->next_y);
	if (!line->points) {
		put_point(line, x, y);
		return;
	}
	if (!line->has_next)
		is_ahead(line, x, y);
	line->next_x = x;
	line->next_y = y;
	line->has_next = 1;
}

void tw_svg_end_line(struct tw_svg_line *line)
{
	const int is_long = line->has_next && hypot(line->next_x - line->x,
						    line->next_y - line->y) >= EQUAL;

	if (is_long)
		put_point(line, line->next_x, line->next_y);
	else if (line->points == 1)
		fputs("m-3 0h6", line->file);
	/* A path must have a point. */
	fputs(line->points ? "\"/>\n" : "M0 0\"/>\n", line->file);
}
