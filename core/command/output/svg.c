/* SPDX-License-Identifier: MIT */
/*
 * Writes texts and axes of a drawing as SVG; see draw.h.
 */
#include <math.h>
#include <string.h>

#include "base/allocate.h"
#include "base/plain_text.h"
#include "command/output/draw.h"

/* An axis of at most this many decades has marks at 1, 2 and 5. */
#define FINE_DECADES	2.5

/* ---- texts --------------------------------------------------------------- */

void tw_html_text(FILE *file, const char *text)
{
	size_t length;

	for (; *text; text += length ? length : 1) {
		length = tw_plain_length(text);
		if (!length)
			fputc('?', file);
		else if (strchr("<>&\"'", *text))
			fprintf(file, "&#%d;", *text);
		else
			fwrite(text, length, 1, file);
	}
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

void tw_svg_label(FILE *file, double x, double y, const char *anchor, const char *text)
{
	if (!text[0])
		return;
	fprintf(file, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor);
	tw_html_text(file, text);
	fputs("</text>\n", file);
}

/* ---- axes ---------------------------------------------------------------- */

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

/* Return a step of 1, 2 or 5 times a power of ten, of which 4 to 10 make
 * @range. */
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

/* Set the axis from the mark at or below the range to the one at or above it. */
static void set_ns(struct tw_svg_axis *axis, const struct tw_range *range)
{
	double decade = pow(10, floor(log10(range->min) + 1e-9));
	double digit = range->min / decade + 1e-9;

	axis->low = log10(decade * (digit >= 5 ? 5 : digit >= 2 ? 2 : 1));
	decade = pow(10, floor(log10(range->max) + 1e-9));
	digit = range->max / decade - 1e-9;
	axis->high = log10(decade * (digit <= 1 ? 1 : digit <= 2 ? 2 : digit <= 5 ? 5 : 10));
	if (!is_fine(axis)) {
		axis->low = floor(axis->low + 1e-9);
		axis->high = ceil(axis->high - 1e-9);
	}
	if (axis->high - axis->low < 0.1)
		axis->high = axis->low + 1;
}

int tw_axis_is_log(enum tw_plot_unit unit)
{
	return unit != TW_PLOT_NUMBER && unit != TW_PLOT_TIME;
}

struct tw_svg_axis tw_axis_of(enum tw_plot_unit unit, struct tw_range range,
			      double from, double to)
{
	struct tw_svg_axis axis = { .from = from, .to = to, .is_log = tw_axis_is_log(unit) };

	if (!(range.max >= range.min))
		range = (struct tw_range) { 1, 1 };
	axis.high = range.max > 0 ? range.max : 1;
	switch (unit) {
	case TW_PLOT_NUMBER:
		/* Leave room between a peak and the frame. */
		axis.high = step_of(axis.high) *
			    ceil(axis.high * 1.02 / step_of(axis.high) - 1e-9);
		break;
	case TW_PLOT_TIME:
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

static void put_grid(FILE *file, double x1, double y1, double x2, double y2)
{
	fprintf(file, "<path class=\"grid\" d=\"M%.1f %.1fL%.1f %.1f\"/>\n",
		x1, y1, x2, y2);
}

/* Draw a mark. Marks come from left to right. A name of x is left out if it would overlap
 * the one before. */
static void put_mark(struct tw_axis_side *side, double value, const char *name)
{
	const double at = tw_svg_place(side->axis, value);
	const double half = (double)strlen(name) * TW_VIEW_LETTER / 2;

	if (!side->is_x) {
		put_grid(side->file, side->from, at, side->to, at);
		tw_svg_label(side->file, side->from - 8, at + 5, "end", name);
		return;
	}
	put_grid(side->file, at, side->from, at, side->to);
	if (at - half < side->taken + TW_VIEW_LETTER / 2)
		return;
	side->taken = at + half;
	tw_svg_label(side->file, at, side->to + 32, "middle", name);
}

/* Return the distance of marks on an axis of @range seconds. */
static double time_step_of(double range)
{
	static const double steps[] = {
		1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 10800,
		21600, 43200, 86400,
	};
	const size_t count = TW_LENGTH(steps);

	for (size_t i = 0; i < count && range > 4; i++)
		if (range / steps[i] <= 7)
			return steps[i];
	return step_of(range);
}

/* Numbers and times: a mark each @step, with a unit that suits the axis. */
static void mark_linear(struct tw_axis_side *side, enum tw_plot_unit unit)
{
	const double high = side->axis->high;
	const double step = unit == TW_PLOT_TIME ? time_step_of(high) : step_of(high);
	const int last = (int)floor(high / step + 1e-4);

	for (int i = 0; i <= last; i++) {
		const char *name = "";
		double value = i * step, of = 1;

		if (unit == TW_PLOT_TIME) {
			of = step >= 3600 ? 3600 : step >= 60 ? 60 : 1;
			name = step >= 3600 ? " h" : step >= 60 ? " min" : " s";
		} else if (i) {
			of = high >= 1e6 ? 1e6 : high >= 1e4 ? 1e3 : 1;
			name = high >= 1e6 ? " M" : high >= 1e4 ? " k" : "";
		}
		put_mark(side, value, tw_format("%.10g%s", value / of, name));
	}
}

/* Mark "10 us" or "0.5 ns": a mark has one digit. */
static void mark_ns(struct tw_axis_side *side)
{
	static const char *const units[] = { "ns", "us", "ms", "s" };
	static const double of_decade[] = { 1, 2, 5 };
	const struct tw_svg_axis *axis = side->axis;

	for (double decade = floor(axis->low); decade <= axis->high; decade++)
		for (int i = 0; i < (is_fine(axis) ? 3 : 1); i++) {
			const double ns = of_decade[i] * pow(10, decade);
			const int power = (int)floor(log10(ns) + 1e-9);
			const int unit = power < 0 ? 0 : power / 3 > 3 ? 3 : power / 3;

			if (log10(ns) < axis->low - 1e-9 || log10(ns) > axis->high + 1e-9)
				continue;
			put_mark(side, ns, tw_format("%.10g %s", ns / pow(10, 3 * unit),
						     units[unit]));
		}
}

static void mark_bytes(struct tw_axis_side *side)
{
	const struct tw_svg_axis *axis = side->axis;
	const int step = (axis->high - axis->low) / log10(2) > 10 ? 2 : 1;

	for (int power = (int)ceil(axis->low / log10(2) - 1e-9);
	     power * log10(2) <= axis->high + 1e-9; power += step) {
		const int unit = power / 10 > 4 ? 4 : power / 10;

		put_mark(side, exp2(power), tw_format("%.0f%c", exp2(power - 10 * unit),
						      "BKMGT"[unit]));
	}
}

static void mark_tail(struct tw_axis_side *side)
{
	const int last = (int)(side->axis->high + 1e-9);

	for (int nines = 0; nines <= last; nines++) {
		put_mark(side, pow(10, nines), tw_format("%.*f", nines > 2 ? nines - 2 : 0,
							 100 - pow(10, 2 - nines)));
		if (nines == 0)
			put_mark(side, 2, "50");
	}
}

void tw_axis_marks(struct tw_axis_side side, enum tw_plot_unit unit)
{
	if (unit == TW_PLOT_NS)
		mark_ns(&side);
	else if (unit == TW_PLOT_BYTES)
		mark_bytes(&side);
	else if (unit == TW_PLOT_TAIL)
		mark_tail(&side);
	else
		mark_linear(&side, unit);
}
