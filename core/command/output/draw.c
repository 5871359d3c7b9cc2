/* SPDX-License-Identifier: MIT */
/*
 * Draws a plot as SVG: lines with dots and texts; and single bars that are divided into parts.
 * It is hidden from readers who can't see it: tables have most of the figures. See draw.h.
 */
#include <math.h>
#include <string.h>

#include "command/output/draw.h"

#define LARGEST		1e300
#define COLOR_OF_BORDER	7
#define DOT_RADIUS	3.5

/* The axes of a plot. */
struct axes {
	struct tw_svg_axis x, y;
};

/* ---- what the data reach ------------------------------------------------- */

/* Extend a range to a value. A logarithmic axis ignores values without a
 * logarithm. Values must not be too large, since the mark above them must be a
 * number, too. */
static void reach(struct tw_range *range, enum tw_plot_unit unit, double value)
{
	if (!(fabs(value) < LARGEST) || (tw_axis_is_log(unit) && value <= 0))
		return;
	range->min = fmin(range->min, value);
	range->max = fmax(range->max, value);
}

static void find_ranges(const struct tw_plot *plot, struct tw_range *x, struct tw_range *y)
{
	const enum tw_plot_unit x_unit = plot->about.x.unit, y_unit = plot->about.y.unit;

	*x = *y = (struct tw_range) { INFINITY, -INFINITY };
	for (const struct tw_series *series = plot->series; series; series = series->next)
		for (const struct tw_dot *dot = series->points; dot; dot = dot->next) {
			reach(x, x_unit, dot->x);
			reach(y, y_unit, dot->y);
			reach(y, y_unit, dot->high);
		}
	if (plot->about.reaches_x > 0)
		reach(x, x_unit, plot->about.reaches_x);
}

/* ---- lines --------------------------------------------------------------- */

/* Draw the upper end of a band backwards, after the lower end was drawn. */
static void put_high(FILE *file, const struct tw_dot *dot, const struct axes *axes)
{
	if (!dot)
		return;
	put_high(file, dot->next, axes);
	fprintf(file, "L%.1f %.1f", tw_svg_place(&axes->x, dot->x),
		tw_svg_place(&axes->y, dot->high));
}

/* Draw a line, or a band from its lower end on. */
static void put_line(FILE *file, const struct tw_series *series, const struct axes *axes)
{
	int points = 0;

	fprintf(file, series->is_band ? "<path class=\"f%d band\" d=\"" :
		"<path class=\"s%d\" d=\"", series->color);
	for (const struct tw_dot *dot = series->points; dot; dot = dot->next)
		if (!dot->text)
			fprintf(file, "%c%.1f %.1f", points++ ? 'L' : 'M',
				tw_svg_place(&axes->x, dot->x), tw_svg_place(&axes->y, dot->y));
	if (series->is_band)
		put_high(file, series->points, axes);
	else if (points < 2)
		/* A dash for a single point, so that it is visible. A path must have a point. */
		fputs(points ? "m-3 0h6" : "M0 0", file);
	fputs("\"/>\n", file);
}

/* Draw the lines in reverse order, so that the first one is on top. */
static void put_lines(FILE *file, const struct tw_series *series, const struct axes *axes)
{
	if (!series)
		return;
	put_lines(file, series->next, axes);
	put_line(file, series, axes);
}

static void put_dots(FILE *file, const struct tw_series *series, const struct axes *axes)
{
	for (const struct tw_dot *dot = series->points; dot; dot = dot->next) {
		if (!dot->text)
			continue;
		fprintf(file, "<circle class=\"f%d\" cx=\"%.1f\" cy=\"%.1f\" "
			"r=\"%.1f\"><title>", series->color, tw_svg_place(&axes->x, dot->x),
			tw_svg_place(&axes->y, dot->y), DOT_RADIUS);
		tw_html_text(file, dot->text);
		fputs("</title></circle>\n", file);
	}
}

static void put_borders(FILE *file, const struct tw_plot *plot, const struct axes *axes)
{
	for (const struct tw_border *border = plot->borders; border; border = border->next) {
		double at = tw_svg_place(&axes->x, border->x);

		fprintf(file, "<path class=\"s%d\" d=\"M%.1f %dL%.1f %d\"/>\n",
			COLOR_OF_BORDER, at, TW_VIEW_TOP, at, TW_VIEW_HEIGHT - TW_VIEW_BOTTOM);
		tw_svg_label(file, at, TW_VIEW_TOP - 6, "middle", border->name);
	}
}

/* ---- texts at points ----------------------------------------------------- */

#define MAX_TAGS	64
#define TAG_LETTER	14		/* as TW_VIEW_LETTER, but bold */
#define FAR		30

struct boxes {
	struct box {
		double left, right, top, bottom;
	} list[MAX_TAGS];
	size_t count;
};

static int overlap(const struct box *box, const struct box *other)
{
	return box->left < other->right && box->right > other->left &&
	       box->top < other->bottom && box->bottom > other->top;
}

static int is_free(const struct boxes *boxes, const struct box *box)
{
	if (boxes->count == MAX_TAGS || box->left < TW_VIEW_LEFT - 6 ||
	    box->right > TW_VIEW_WIDTH || box->top < TW_VIEW_TOP - TW_VIEW_LINE ||
	    box->bottom > TW_VIEW_HEIGHT - TW_VIEW_BOTTOM)
		return 0;
	for (size_t i = 0; i < boxes->count; i++)
		if (overlap(box, &boxes->list[i]))
			return 0;
	return 1;
}

/* Does the straight line between two points cross the letters of a box? */
static int is_crossed(const struct box *box, double x1, double y1, double x2, double y2)
{
	const double slope = (y2 - y1) / (x2 - x1);
	const double from = fmax(fmin(x1, x2), box->left), to = fmin(fmax(x1, x2), box->right);

	if (from > to)
		return 0;
	if (isfinite(slope)) {
		y1 += (from - x1) * slope;
		y2 = y1 + (to - from) * slope;
	}
	return fmax(y1, y2) > box->top && fmin(y1, y2) < box->bottom - 4;
}

/* Does a box cover a line or a dot? */
static int covers(const struct box *box, const struct tw_plot *plot, const struct axes *axes)
{
	for (const struct tw_series *series = plot->series; series; series = series->next) {
		double last_x = NAN, last_y = NAN;

		for (const struct tw_dot *dot = series->points; dot; dot = dot->next) {
			const double x = tw_svg_place(&axes->x, dot->x);
			const double y = tw_svg_place(&axes->y, dot->y);
			const struct box circle = { x - DOT_RADIUS, x + DOT_RADIUS,
						    y - DOT_RADIUS, y + DOT_RADIUS };

			if (dot->text ? overlap(box, &circle) :
			    is_crossed(box, last_x, last_y, x, y))
				return 1;
			last_x = dot->text ? last_x : x;
			last_y = dot->text ? last_y : y;
		}
	}
	return 0;
}

/* Put a text where it covers no other and stays inside the view; if there is room, where it
 * covers no line. One far from its dot has a line to it. If there is no such place, it is left
 * out, and only the dot's title has the text. */
static void put_tag(FILE *file, struct boxes *boxes, const struct tw_dot *dot,
		    const struct tw_plot *plot, const struct axes *axes)
{
	/* From the best place on. Curves rise to the right, so the space above them to
	 * the left is free. @before: the part of the text that is left of x. */
	static const struct {
		double x, y, before;
		const char *anchor;
	} places[] = {
		{ -4, -8, 1, "end" }, { 0, -10, 0.5, "middle" }, { 6, -8, 0, "start" },
		{ 6, 20, 0, "start" }, { 0, 26, 0.5, "middle" }, { -4, 26, 1, "end" },
		{ -4, -30, 1, "end" }, { 0, -32, 0.5, "middle" }, { 6, -30, 0, "start" },
		{ -4, -52, 1, "end" }, { 0, -54, 0.5, "middle" }, { 6, -52, 0, "start" },
		{ -4, 48, 1, "end" }, { 6, 42, 0, "start" }, { -4, -74, 1, "end" },
	};
	const size_t count = TW_LENGTH(places);
	const double width = (double)strlen(dot->tag) * TAG_LETTER;
	const double x = tw_svg_place(&axes->x, dot->x), y = tw_svg_place(&axes->y, dot->y);

	for (size_t i = 0; i < 2 * count; i++) {
		const size_t at = i % count;
		const double left = x + places[at].x - width * places[at].before;
		const double bottom = y + places[at].y + 5;
		const struct box box = { left, left + width, bottom - TW_VIEW_LINE, bottom };

		if (!is_free(boxes, &box) || (i < count && covers(&box, plot, axes)))
			continue;
		boxes->list[boxes->count++] = box;
		if (fabs(places[at].y) >= FAR)
			fprintf(file, "<path class=\"lead\" d=\"M%.1f %.1fV%.1f\"/>\n", x, y,
				y + places[at].y + (places[at].y < 0 ? 3 : -12));
		fprintf(file, "<text class=\"tag\" x=\"%.1f\" y=\"%.1f\" "
			"text-anchor=\"%s\">", x + places[at].x, y + places[at].y,
			places[at].anchor);
		tw_html_text(file, dot->tag);
		fputs("</text>\n", file);
		return;
	}
}

void tw_draw_plot(FILE *file, const struct tw_plot *plot)
{
	const double bottom = TW_VIEW_HEIGHT - TW_VIEW_BOTTOM;
	const double right = TW_VIEW_WIDTH - TW_VIEW_RIGHT;
	const struct tw_series *series;
	/* The name of the axis has a place of its own. */
	struct boxes boxes = { .count = 1, .list = { {
		TW_VIEW_LEFT, TW_VIEW_LEFT + (double)strlen(plot->about.y.label) * TW_VIEW_LETTER,
		0, TW_VIEW_TOP } } };
	struct tw_range x, y;
	struct axes axes;

	find_ranges(plot, &x, &y);
	axes.x = tw_axis_of(plot->about.x.unit, x, TW_VIEW_LEFT, right);
	axes.y = tw_axis_of(plot->about.y.unit, y, bottom, TW_VIEW_TOP);
	fprintf(file, "<svg viewBox=\"0 0 %d %d\" aria-hidden=\"true\">\n", TW_VIEW_WIDTH,
		TW_VIEW_HEIGHT);
	tw_axis_marks((struct tw_axis_side) { file, &axes.y, 0, TW_VIEW_LEFT, right, 0 },
		      plot->about.y.unit);
	tw_axis_marks((struct tw_axis_side) { file, &axes.x, 1, TW_VIEW_TOP, bottom, 0 },
		      plot->about.x.unit);
	tw_svg_label(file, TW_VIEW_LEFT, TW_VIEW_TOP - 14, "start", plot->about.y.label);
	tw_svg_label(file, (TW_VIEW_LEFT + right) / 2, TW_VIEW_HEIGHT - 10, "middle",
		     plot->about.x.label);
	put_borders(file, plot, &axes);
	put_lines(file, plot->series, &axes);
	for (series = plot->series; series; series = series->next)
		put_dots(file, series, &axes);
	for (series = plot->series; series; series = series->next)
		for (const struct tw_dot *dot = series->points; dot; dot = dot->next)
			if (dot->tag && dot->tag[0])
				put_tag(file, &boxes, dot, plot, &axes);
	tw_svg_end(file);
}

/* ---- bars of parts ------------------------------------------------------- */

static int is_part(const struct tw_part *part)
{
	return part->size > 0 && isfinite(part->size);
}

static double whole_of(const struct tw_series *stack)
{
	double whole = 0;

	for (const struct tw_part *part = stack->parts; part; part = part->next)
		whole += is_part(part) ? part->size : 0;
	return whole;
}

/* A bar is as wide as the page, and its letters are as large as those of texts. Labels are for
 * pages of at least this width. On narrow ones the legend names the parts. */
#define ROOMY		960
#define STACK_HEIGHT	40
#define STACK_LETTER	8.6		/* the width of bold letters, at most in the mean */

static void put_label_row(FILE *file, double x, int y, const char *text)
{
	fprintf(file, "<text class=\"on\" x=\"%.2f%%\" y=\"%d\" text-anchor=\"middle\">", x, y);
	tw_html_text(file, text);
	fputs("</text>\n", file);
}

/* Write "stage device: 52 %" on a part, or "device" above "52 %", or nothing if there is no
 * room. "complete 72 %" alone would be taken for progress. @x: its middle, in percent. */
static void put_part_label(FILE *file, const struct tw_part *part, double percent, double x,
			   double width)
{
	const double name = (double)strlen(part->name) * STACK_LETTER + 6;
	char text[96];

	snprintf(text, sizeof(text), "stage %s: %.0f %%", part->name, percent);
	if (percent < 0.5 || name > width)
		return;
	if (name + 12 * STACK_LETTER <= width) {
		put_label_row(file, x, STACK_HEIGHT / 2 + 5, text);
		return;
	}
	put_label_row(file, x, STACK_HEIGHT / 2 - 3, part->name);
	put_label_row(file, x, STACK_HEIGHT / 2 + 14,
		      text + strlen("stage : ") + strlen(part->name));
}

static void put_part(FILE *file, const struct tw_part *part, double percent, double x,
		     double width)
{
	fputs("<g><title>stage ", file);
	tw_html_text(file, part->name);
	fprintf(file, ": %.3g %%</title><rect class=\"f%d part\" x=\"%.2f%%\" "
		"width=\"%.2f%%\" height=\"%d\"/>\n", percent, part->color, x, width,
		STACK_HEIGHT);
	put_part_label(file, part, percent, x + width / 2, width * ROOMY / 100);
	fputs("</g>\n", file);
}

/* Return the width of a bar, as a part of the page's. Each bar is as wide as the page, so that
 * bars with small totals are readable, or all bars have the same scale. */
static double scale_of(const struct tw_plot *plot, const struct tw_series *stack)
{
	double largest = 0;

	for (const struct tw_series *other = plot->series; other; other = other->next)
		largest = fmax(largest, whole_of(other));
	return plot->about.has_same_scale && largest > 0 ? whole_of(stack) / largest : 1;
}

int tw_draw_is_seen(const struct tw_plot *plot, const struct tw_series *stack,
		    const struct tw_part *part)
{
	return is_part(part) && 100 * part->size / whole_of(stack) * scale_of(plot, stack) >= 1;
}

void tw_draw_stack(FILE *file, const struct tw_plot *plot, const struct tw_series *stack)
{
	const double whole = whole_of(stack), scale = scale_of(plot, stack);
	double x = 0;

	fprintf(file, "<svg class=\"stack\" height=\"%d\" aria-hidden=\"true\">\n", STACK_HEIGHT);
	for (const struct tw_part *part = stack->parts; part; part = part->next) {
		const double percent = 100 * (part->size / whole);

		if (!is_part(part))
			continue;
		put_part(file, part, percent, x, percent * scale);
		x += percent * scale;
	}
	tw_svg_end(file);
}
