/* SPDX-License-Identifier: MIT */
/*
 * Axes of a drawing (svg.h): from where to where they go for some data, and their marks,
 * which have round names.
 */
#ifndef TW_OUTPUT_AXIS_H
#define TW_OUTPUT_AXIS_H

#include <stdio.h>

#include "command/output/plot.h"
#include "command/output/svg.h"

struct tw_range {
	double min, max;
};

/* One that holds all of @range, from one coordinate to another. */
struct tw_svg_axis tw_axis_of(enum tw_plot_unit unit, struct tw_range range,
			      double from, double to);

/* Of x: a vertical line, and its name below; of y: a horizontal one. */
struct tw_axis_side {
	FILE *file;
	const struct tw_svg_axis *axis;
	int is_x;
	double from, to;		/* of the lines, across */
	double taken;			/* by names of x, up to here */
};

void tw_axis_marks(const struct tw_axis_side *side, enum tw_plot_unit unit);

/* Text; nothing for "". */
void tw_svg_label(FILE *file, double x, double y, const char *anchor,
		  const char *text);

#endif
