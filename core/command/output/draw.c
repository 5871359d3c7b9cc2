/* SPDX-License-Identifier: MIT */
/*
 * Draws a plot as SVG: see draw.h, and view.h for the view.
 */
#include "command/output/draw.h"

#include <math.h>

#include "command/output/axis.h"
#include "command/output/html_text.h"
#include "command/output/model.h"
#include "command/output/svg.h"
#include "command/output/view.h"

#define LEFT_OF_NAMES	130
#define ROW		42
#define TOP_OF_ROWS	10

#define LARGEST		1e300

#define COLOR_OF_BORDER	7

/* ---- what the data reach ------------------------------------------------- */

struct ranges {
	struct tw_range x, y;
	int rows;			/* number of bars */
};

static int is_linear(enum tw_plot_unit unit)
{
	return unit == TW_PLOT_NUMBER || unit == TW_PLOT_TIME || unit == TW_PLOT_CHANGE;
}

/* Extend a range to a value. A logarithmic axis ignores values without a
 * logarithm. Values must not be too large, since the mark above them must be a
 * number, too. */
static void reach(struct tw_range *range, enum tw_plot_unit unit, double value)
{
	if (!(fabs(value) < LARGEST) || (!is_linear(unit) && value <= 0))
		return;
	range->min = fmin(range->min, value);
	range->max = fmax(range->max, value);
}

static struct ranges ranges_of(const struct tw_plot *plot)
{
	struct ranges ranges = {
		.x = { INFINITY, -INFINITY }, .y = { INFINITY, -INFINITY },
	};

	for (const struct tw_series *series = plot->series; series;
	     series = series->next) {
		if (plot->has_bars) {
			reach(&ranges.x, plot->x.unit, series->bar.low);
			reach(&ranges.x, plot->x.unit, series->bar.high);
			ranges.rows++;
		}
		for (const struct tw_dot *dot = series->points; dot; dot = dot->next) {
			reach(&ranges.x, plot->x.unit, dot->x);
			reach(&ranges.y, plot->y.unit, dot->y);
			reach(&ranges.y, plot->y.unit, dot->high);
		}
	}
	if (plot->rule.name)
		reach(&ranges.y, plot->y.unit, plot->rule.y);
	if (plot->has_reach)
		reach(&ranges.x, plot->x.unit, plot->reaches_x);
	for (size_t i = 0; i <= plot->heat.columns && plot->heat.counts; i++)
		reach(&ranges.x, plot->x.unit, plot->heat.x[i]);
	for (size_t i = 0; i <= plot->heat.rows && plot->heat.counts; i++)
		reach(&ranges.y, plot->y.unit, plot->heat.y[i]);
	return ranges;
}

/* ---- lines --------------------------------------------------------------- */

static void put_line(FILE *file, const struct tw_series *series,
		     const struct tw_svg_axis *x, const struct tw_svg_axis *y)
{
	struct tw_svg_line line = tw_svg_begin_line(file, series->color);

	for (const struct tw_dot *dot = series->points; dot; dot = dot->next)
		if (!dot->text)
			tw_svg_line_to(&line, tw_svg_place(x, dot->x),
				       tw_svg_place(y, dot->y));
	tw_svg_end_line(&line);
}

/* Draw the upper end of a band backwards, after the lower end was drawn. */
static void put_high(FILE *file, const struct tw_dot *dot, const struct tw_svg_axis *x,
		     const struct tw_svg_axis *y)
{
	if (!dot)
		return;
	put_high(file, dot->next, x, y);
	fprintf(file, "L%.1f %.1f", tw_svg_place(x, dot->x), tw_svg_place(y, dot->high));
}

static void put_band(FILE *file, const struct tw_series *series,
		     const struct tw_svg_axis *x, const struct tw_svg_axis *y)
{
	char command = 'M';

	fprintf(file, "<path class=\"f%d band\" d=\"", series->color);
	for (const struct tw_dot *dot = series->points; dot; dot = dot->next) {
		fprintf(file, "%c%.1f %.1f", command, tw_svg_place(x, dot->x),
			tw_svg_place(y, dot->y));
		command = 'L';
	}
	put_high(file, series->points, x, y);
	fputs("\"/>\n", file);
}

/* Draw the lines in reverse order, so that the first one is on top. */
static void put_lines(FILE *file, const struct tw_series *series,
		      const struct tw_svg_axis *x, const struct tw_svg_axis *y)
{
	if (!series)
		return;
	put_lines(file, series->next, x, y);
	if (series->is_band)
		put_band(file, series, x, y);
	else
		put_line(file, series, x, y);
}

static void put_dots(FILE *file, const struct tw_series *series,
		     const struct tw_svg_axis *x, const struct tw_svg_axis *y)
{
	for (const struct tw_dot *dot = series->points; dot; dot = dot->next) {
		if (!dot->text)
			continue;
		fprintf(file, "<circle class=\"f%d\" cx=\"%.1f\" cy=\"%.1f\" "
			"r=\"3.5\"><title>", series->color, tw_svg_place(x, dot->x),
			tw_svg_place(y, dot->y));
		tw_html_text(file, dot->text);
		fputs("</title></circle>\n", file);
	}
}

static void put_borders(FILE *file, const struct tw_plot *plot,
			const struct tw_svg_axis *x)
{
	for (const struct tw_border *border = plot->borders; border;
	     border = border->next) {
		double at = tw_svg_place(x, border->x);

		fprintf(file, "<path class=\"s%d\" d=\"M%.1f %dL%.1f %d\"/>\n",
			COLOR_OF_BORDER, at, TW_VIEW_TOP, at, TW_VIEW_HEIGHT - TW_VIEW_BOTTOM);
		tw_svg_label(file, at, TW_VIEW_TOP - 6, "middle", border->name);
	}
}

static void put_rule(FILE *file, const struct tw_plot *plot, const struct tw_svg_axis *y)
{
	if (plot->rule.name)
		fprintf(file, "<path class=\"" TW_RULE_CLASS "\" d=\"M%d %.1fH%d\"/>\n",
			TW_VIEW_LEFT, tw_svg_place(y, plot->rule.y),
			TW_VIEW_WIDTH - TW_VIEW_RIGHT);
}

void tw_view_begin(FILE *file, const struct tw_plot *plot, int height)
{
	fprintf(file, "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"", TW_VIEW_WIDTH,
		height);
	tw_draw_label(file, plot);
	fputs("\">\n", file);
}

static void draw_lines(FILE *file, const struct tw_plot *plot)
{
	const double bottom = TW_VIEW_HEIGHT - TW_VIEW_BOTTOM, right = TW_VIEW_WIDTH - TW_VIEW_RIGHT;
	const struct ranges ranges = ranges_of(plot);
	const struct tw_svg_axis x = tw_axis_of(plot->x.unit, ranges.x, TW_VIEW_LEFT, right);
	const struct tw_svg_axis y = tw_axis_of(plot->y.unit, ranges.y, bottom, TW_VIEW_TOP);

	tw_view_begin(file, plot, TW_VIEW_HEIGHT);
	tw_draw_heat(file, plot, &x, &y);
	tw_axis_marks(&(struct tw_axis_side) { file, &y, 0, TW_VIEW_LEFT, right, 0 },
		      plot->y.unit);
	tw_axis_marks(&(struct tw_axis_side) { file, &x, 1, TW_VIEW_TOP, bottom, 0 },
		      plot->x.unit);
	tw_svg_label(file, TW_VIEW_LEFT, TW_VIEW_TOP - 14, "start", plot->y.label);
	tw_svg_label(file, (TW_VIEW_LEFT + right) / 2, TW_VIEW_HEIGHT - 10, "middle", plot->x.label);
	put_borders(file, plot, &x);
	put_rule(file, plot, &y);
	put_lines(file, plot->series, &x, &y);
	for (const struct tw_series *series = plot->series; series;
	     series = series->next)
		put_dots(file, series, &x, &y);
	tw_draw_tags(file, plot, &x, &y);
	tw_svg_end(file);
}

/* ---- bars ---------------------------------------------------------------- */

static void put_bar(FILE *file, int color, double from, double to, double middle,
		    double height)
{
	fprintf(file, "<rect class=\"f%d\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
		"height=\"%.1f\"/>\n", color, from, middle - height / 2,
		to - from < 1 ? 1 : to - from, height);
}

static void put_row(FILE *file, const struct tw_series *series,
		    const struct tw_svg_axis *x, double middle)
{
	const struct tw_plot_bar *bar = &series->bar;

	fputs("<g><title>", file);
	tw_html_text(file, series->text);
	fputs("</title>\n", file);
	tw_svg_label(file, LEFT_OF_NAMES - 8, middle + 5, "end",
		  series->name ? series->name : "");
	put_bar(file, series->color, tw_svg_place(x, bar->low),
		tw_svg_place(x, bar->high), middle, 3);
	put_bar(file, series->color, tw_svg_place(x, bar->from),
		tw_svg_place(x, bar->to), middle, 18);
	fprintf(file, "<circle class=\"mean\" cx=\"%.1f\" cy=\"%.1f\" r=\"5\"/></g>\n",
		tw_svg_place(x, bar->mean), middle);
}

static void draw_bars(FILE *file, const struct tw_plot *plot)
{
	const struct ranges ranges = ranges_of(plot);
	const int height = ranges.rows * ROW + TOP_OF_ROWS + TW_VIEW_BOTTOM;
	const double bottom = height - TW_VIEW_BOTTOM, right = TW_VIEW_WIDTH - TW_VIEW_RIGHT;
	const struct tw_svg_axis x = tw_axis_of(plot->x.unit, ranges.x, LEFT_OF_NAMES,
					     right);
	double middle = TOP_OF_ROWS + ROW / 2.0;

	tw_view_begin(file, plot, height);
	tw_axis_marks(&(struct tw_axis_side) { file, &x, 1, TOP_OF_ROWS, bottom, 0 },
		      plot->x.unit);
	tw_svg_label(file, (LEFT_OF_NAMES + right) / 2, height - 10, "middle",
		  plot->x.label);
	for (const struct tw_series *series = plot->series; series;
	     series = series->next, middle += ROW)
		put_row(file, series, &x, middle);
	tw_svg_end(file);
}

void tw_draw_plot(FILE *file, const struct tw_plot *plot)
{
	if (plot->has_bars)
		draw_bars(file, plot);
	else if (plot->has_stacks)
		tw_draw_stacks(file, plot);
	else
		draw_lines(file, plot);
}
