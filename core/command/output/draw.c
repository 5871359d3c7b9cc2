/* SPDX-License-Identifier: MIT */
/*
 * Draw a plot as SVG: see draw.h. All coordinates are in units of a view that is WIDTH
 * wide; the page scales it, and sets larger letters where it is narrow: margins have
 * room for those.
 */
#include "command/output/draw.h"

#include <math.h>

#include "command/output/format.h"
#include "command/output/html_text.h"
#include "command/output/model.h"
#include "command/output/svg.h"

#define WIDTH		640
#define HEIGHT		360
#define RIGHT		46
#define TOP		34
#define BOTTOM		58
#define LEFT		86
#define LEFT_OF_NAMES	130
#define ROW		42
#define TOP_OF_ROWS	10

/* An axis of no more decades than this has marks at 1, 2 and 5. */
#define FINE_DECADES	2.5

#define LARGEST		1e300

#define COLOR_OF_BORDER	7

/* ---- what the data reach ------------------------------------------------- */

struct range {
	double min, max;
};

struct ranges {
	struct range x, y;
	int rows;			/* of bars */
};

/* Of an axis of logarithms only what has one counts. The mark above a value must be
 * a number, too. */
static void reach(struct range *range, enum tw_plot_unit unit, double value)
{
	if (!(fabs(value) < LARGEST) || (unit != TW_PLOT_NUMBER && value <= 0))
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
		}
	}
	return ranges;
}

/* ---- axes ---------------------------------------------------------------- */

/* 1, 2 or 5 times a power of ten: a handful of them make @range. */
static double step_of(double range)
{
	double step = pow(10, floor(log10(range / 4)));

	if (range / step > 10)
		step *= range / step > 20 ? 5 : 2;
	return step;
}

static int is_fine(const struct tw_svg_axis *axis)
{
	return axis->high - axis->low <= FINE_DECADES;
}

/* The logarithm of the mark at or below a value, and at or above it. */
static double mark_below(double value)
{
	double decade = pow(10, floor(log10(value) + 1e-9));
	double digit = value / decade + 1e-9;

	return log10(decade * (digit >= 5 ? 5 : digit >= 2 ? 2 : 1));
}

static double mark_above(double value)
{
	double decade = pow(10, floor(log10(value) + 1e-9));
	double digit = value / decade - 1e-9;

	return log10(decade * (digit <= 1 ? 1 : digit <= 2 ? 2 : digit <= 5 ? 5 : 10));
}

static void set_ns(struct tw_svg_axis *axis, const struct range *range)
{
	axis->low = mark_below(range->min);
	axis->high = mark_above(range->max);
	if (!is_fine(axis)) {
		axis->low = floor(axis->low + 1e-9);
		axis->high = ceil(axis->high - 1e-9);
	}
	if (axis->high - axis->low < 0.1)
		axis->high = axis->low + 1;
}

static struct tw_svg_axis axis_of(enum tw_plot_unit unit, struct range range,
				  double from, double to)
{
	struct tw_svg_axis axis = {
		.from = from, .to = to, .is_log = unit != TW_PLOT_NUMBER,
	};

	if (!(range.max >= range.min))
		range = (struct range) { 1, 1 };
	switch (unit) {
	case TW_PLOT_NUMBER:
		axis.high = range.max > 0 ? range.max : 1;
		axis.high = step_of(axis.high) *
			    ceil(axis.high / step_of(axis.high) - 1e-9);
		break;
	case TW_PLOT_NS:
		set_ns(&axis, &range);
		break;
	case TW_PLOT_BYTES:
		axis.low = fmax(log10(range.min), 0);
		axis.high = fmax(log10(range.max), axis.low + log10(2));
		break;
	case TW_PLOT_TAIL:
		axis.high = fmax(log10(range.max), 1);
		break;
	}
	return axis;
}

/* ---- marks of an axis ---------------------------------------------------- */

/* Of x: a vertical line, and its name below; of y: a horizontal one. */
struct side {
	FILE *file;
	const struct tw_svg_axis *axis;
	int is_x;
	double from, to;		/* of the lines, across */
};

static void put_label(FILE *file, double x, double y, const char *anchor,
		      const char *text)
{
	if (!text[0])
		return;
	fprintf(file, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor);
	tw_html_text(file, text);
	fputs("</text>\n", file);
}

static void put_mark(const struct side *side, double value, const char *name)
{
	double at = tw_svg_place(side->axis, value);

	if (side->is_x) {
		tw_svg_grid(side->file, at, side->from, at, side->to);
		put_label(side->file, at, side->to + 21, "middle", name);
	} else {
		tw_svg_grid(side->file, side->from, at, side->to, at);
		put_label(side->file, side->from - 8, at + 5, "end", name);
	}
}

static void mark_numbers(const struct side *side)
{
	const double step = step_of(side->axis->high);
	const int count = (int)(side->axis->high / step + 1e-4);

	for (int i = 0; i <= count; i++) {
		const double value = i * step;
		char name[TW_FORMAT_SIZE];

		if (value >= 1e6)
			snprintf(name, sizeof(name), "%.10g M", value / 1e6);
		else if (value >= 1e4)
			snprintf(name, sizeof(name), "%.10g k", value / 1e3);
		else
			snprintf(name, sizeof(name), "%.10g", value);
		put_mark(side, value, name);
	}
}

/* "10 us", "0.5 ns": a mark has one digit. */
static void name_ns(char *name, double ns)
{
	static const char *const units[] = { "ns", "us", "ms", "s" };
	int power = (int)floor(log10(ns) + 1e-9);
	int unit = power < 0 ? 0 : power / 3 > 3 ? 3 : power / 3;

	snprintf(name, TW_FORMAT_SIZE, "%.10g %s", ns / pow(10, 3 * unit), units[unit]);
}

static void mark_ns(const struct side *side)
{
	static const double of_decade[] = { 1, 2, 5 };
	const struct tw_svg_axis *axis = side->axis;
	/* Of many marks above each other every other one of x has a name. */
	const int sparse = side->is_x && axis->high - axis->low > 5;

	for (double decade = floor(axis->low); decade <= axis->high; decade++)
		for (int i = 0; i < (is_fine(axis) ? 3 : 1); i++) {
			double ns = of_decade[i] * pow(10, decade);
			char name[TW_FORMAT_SIZE] = "";

			if (log10(ns) < axis->low - 1e-9 ||
			    log10(ns) > axis->high + 1e-9)
				continue;
			if (!sparse || (int)(decade - axis->low) % 2 == 0)
				name_ns(name, ns);
			put_mark(side, ns, name);
		}
}

static void mark_bytes(const struct side *side)
{
	static const char units[] = "BKMGT";
	const struct tw_svg_axis *axis = side->axis;
	int step = (axis->high - axis->low) / log10(2) > 10 ? 2 : 1;

	for (int power = (int)ceil(axis->low / log10(2) - 1e-9);
	     power * log10(2) <= axis->high + 1e-9; power += step) {
		char name[TW_FORMAT_SIZE];
		int unit = power / 10 > 4 ? 4 : power / 10;

		snprintf(name, sizeof(name), "%.0f%c", exp2(power - 10 * unit),
			 units[unit]);
		put_mark(side, exp2(power), name);
	}
}

static void mark_tail(const struct side *side)
{
	const int last = (int)(side->axis->high + 1e-9);

	for (int nines = 0; nines <= last; nines++) {
		char name[TW_FORMAT_SIZE] = "";

		if (last <= 5 || nines % 2 == 0)
			snprintf(name, sizeof(name), "%.*f", nines > 2 ? nines - 2 : 0,
				 100 - pow(10, 2 - nines));
		put_mark(side, pow(10, nines), name);
	}
}

static void put_marks(const struct side *side, enum tw_plot_unit unit)
{
	switch (unit) {
	case TW_PLOT_NUMBER:
		mark_numbers(side);
		break;
	case TW_PLOT_NS:
		mark_ns(side);
		break;
	case TW_PLOT_BYTES:
		mark_bytes(side);
		break;
	case TW_PLOT_TAIL:
		mark_tail(side);
		break;
	}
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

/* The first is drawn last. */
static void put_lines(FILE *file, const struct tw_series *series,
		      const struct tw_svg_axis *x, const struct tw_svg_axis *y)
{
	if (!series)
		return;
	put_lines(file, series->next, x, y);
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
			COLOR_OF_BORDER, at, TOP, at, HEIGHT - BOTTOM);
		put_label(file, at, TOP - 6, "middle", border->name);
	}
}

static void begin(FILE *file, const struct tw_plot *plot, int height)
{
	fprintf(file, "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"", WIDTH,
		height);
	tw_html_text(file, plot->title);
	fputs("\">\n", file);
}

static void draw_lines(FILE *file, const struct tw_plot *plot)
{
	const double bottom = HEIGHT - BOTTOM, right = WIDTH - RIGHT;
	const struct ranges ranges = ranges_of(plot);
	const struct tw_svg_axis x = axis_of(plot->x.unit, ranges.x, LEFT, right);
	const struct tw_svg_axis y = axis_of(plot->y.unit, ranges.y, bottom, TOP);

	begin(file, plot, HEIGHT);
	put_marks(&(struct side) { file, &y, 0, LEFT, right }, plot->y.unit);
	put_marks(&(struct side) { file, &x, 1, TOP, bottom }, plot->x.unit);
	put_label(file, LEFT, TOP - 14, "start", plot->y.label);
	put_label(file, (LEFT + right) / 2, HEIGHT - 10, "middle", plot->x.label);
	put_borders(file, plot, &x);
	put_lines(file, plot->series, &x, &y);
	for (const struct tw_series *series = plot->series; series;
	     series = series->next)
		put_dots(file, series, &x, &y);
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
	put_label(file, LEFT_OF_NAMES - 8, middle + 5, "end",
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
	const int height = ranges.rows * ROW + TOP_OF_ROWS + BOTTOM;
	const double bottom = height - BOTTOM, right = WIDTH - RIGHT;
	const struct tw_svg_axis x = axis_of(plot->x.unit, ranges.x, LEFT_OF_NAMES,
					     right);
	double middle = TOP_OF_ROWS + ROW / 2.0;

	begin(file, plot, height);
	put_marks(&(struct side) { file, &x, 1, TOP_OF_ROWS, bottom }, plot->x.unit);
	put_label(file, (LEFT_OF_NAMES + right) / 2, height - 10, "middle",
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
	else
		draw_lines(file, plot);
}
