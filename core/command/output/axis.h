/* SPDX-License-Identifier: MIT */
/*
 * Axes of a drawing (svg.h): their range for some data, and their marks, which
 * have round names.
 */
#ifndef TW_OUTPUT_AXIS_H
#define TW_OUTPUT_AXIS_H

#include <stdio.h>

#include "command/output/page.h"
#include "command/output/svg.h"

struct tw_range {
	double min, max;
};

/* Return an axis that contains all of @range. Its ends are the coordinates
 * @from and @to. */
struct tw_svg_axis tw_axis_of(enum tw_plot_unit unit, struct tw_range range,
			      double from, double to);

/* Where to draw marks. A mark of x is a vertical line with its name below, a
 * mark of y a horizontal line. */
struct tw_axis_side {
	FILE *file;
	const struct tw_svg_axis *axis;
	int is_x;
	double from, to;		/* ends of the lines */
	double taken;			/* names of x are drawn up to here */
};

void tw_axis_marks(const struct tw_axis_side *side, enum tw_plot_unit unit);

/* Print a text; nothing for "". */
void tw_svg_label(FILE *file, double x, double y, const char *anchor,
		  const char *text);

#endif
