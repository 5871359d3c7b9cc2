/* SPDX-License-Identifier: MIT */
/*
 * Computes axes and their marks: see axis.h.
 */
#include "command/output/axis.h"

#include <math.h>
#include <string.h>

#include "command/output/page.h"
#include "command/output/html_text.h"
#include "command/output/view.h"

/* An axis of at most this many decades has marks at 1, 2 and 5. */
#define FINE_DECADES	2.5

/* ---- axes ---------------------------------------------------------------- */

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

/* Return the logarithm of the mark at or below a value, and at or above it. */
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

static void set_ns(struct tw_svg_axis *axis, const struct tw_range *range)
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

/* Set the axis of a change. It contains 0, and is at least 1 percent long in
 * both directions, so that small changes are not magnified. */
static void set_change(struct tw_svg_axis *axis, const struct tw_range *range)
{
	double step;

	axis->low = fmin(range->min, -1);
	axis->high = fmax(range->max, 1);
	/* The rounded range can need wider steps. */
	do {
		step = step_of(axis->high - axis->low);
		axis->low = step * floor(axis->low / step + 1e-9);
		axis->high = step * ceil(axis->high / step - 1e-9);
	} while (step_of(axis->high - axis->low) > step * (1 + 1e-9));
}

struct tw_svg_axis tw_axis_of(enum tw_plot_unit unit, struct tw_range range,
				  double from, double to)
{
	struct tw_svg_axis axis = {
		.from = from, .to = to,
		.is_log = unit != TW_PLOT_NUMBER && unit != TW_PLOT_TIME &&
			  unit != TW_PLOT_CHANGE,
	};

	if (!(range.max >= range.min))
		range = (struct tw_range) { 1, 1 };
	switch (unit) {
	case TW_PLOT_NUMBER:
		axis.high = range.max > 0 ? range.max : 1;
		/* Leave room between a peak and the frame. */
		axis.high = step_of(axis.high) *
			    ceil(axis.high * 1.02 / step_of(axis.high) - 1e-9);
		break;
	case TW_PLOT_TIME:
		axis.high = range.max > 0 ? range.max : 1;
		break;
	case TW_PLOT_NS:
		set_ns(&axis, &range);
		break;
	case TW_PLOT_BYTES:
		axis.low = fmax(log10(range.min), 0);
		axis.high = fmax(log10(range.max), axis.low + log10(2));
		break;
	case TW_PLOT_CHANGE:
		set_change(&axis, &range);
		break;
	case TW_PLOT_TAIL:
		axis.high = fmax(log10(range.max), 1);
		break;
	}
	return axis;
}

/* ---- marks of an axis ---------------------------------------------------- */

void tw_svg_label(FILE *file, double x, double y, const char *anchor,
		      const char *text)
{
	if (!text[0])
		return;
	fprintf(file, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor);
	tw_html_text(file, text);
	fputs("</text>\n", file);
}

/* Is there room for a name? Marks come from left to right. A name is left out
 * if it would overlap the one before. */
static int has_room(struct tw_axis_side *side, double at, const char *name)
{
	const double half = (double)strlen(name) * TW_VIEW_LETTER / 2;

	if (!name[0] || at - half < side->taken + TW_VIEW_LETTER / 2)
		return 0;
	side->taken = at + half;
	return 1;
}

static void put_mark(struct tw_axis_side *side, double value, const char *name)
{
	double at = tw_svg_place(side->axis, value);

	if (!side->is_x) {
		tw_svg_grid(side->file, side->from, at, side->to, at);
		tw_svg_label(side->file, side->from - 8, at + 5, "end", name);
		return;
	}
	tw_svg_grid(side->file, at, side->from, at, side->to);
	if (has_room(side, at, name))
		tw_svg_label(side->file, at, side->to + 32, "middle", name);
}

static void mark_numbers(struct tw_axis_side *side)
{
	const double step = step_of(side->axis->high);
	const int count = (int)(side->axis->high / step + 1e-4);

	for (int i = 0; i <= count; i++) {
		const double value = i * step;
		char name[TW_FORMAT_SIZE];

		if (value > 0 && side->axis->high >= 1e6)
			snprintf(name, sizeof(name), "%.10g M", value / 1e6);
		else if (value > 0 && side->axis->high >= 1e4)
			snprintf(name, sizeof(name), "%.10g k", value / 1e3);
		else
			snprintf(name, sizeof(name), "%.10g", value);
		put_mark(side, value, name);
	}
}

static void mark_changes(struct tw_axis_side *side)
{
	const struct tw_svg_axis *axis = side->axis;
	const double step = step_of(axis->high - axis->low);
	const int last = (int)round(axis->high / step);

	for (int i = (int)round(axis->low / step); i <= last; i++) {
		char name[TW_FORMAT_SIZE];

		if (fabs(i * step) >= 1e4)
			snprintf(name, sizeof(name), "%+.10g k", i * step / 1e3);
		else
			snprintf(name, sizeof(name), i ? "%+.10g" : "%.0f", i * step);
		put_mark(side, i * step, name);
	}
}

/* Return the distance of marks on an axis of @range seconds. */
static double time_step_of(double range)
{
	static const double steps[] = {
		1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 10800,
		21600, 43200, 86400,
	};
	const size_t count = sizeof(steps) / sizeof(*steps);

	for (size_t i = 0; i < count && range > 4; i++)
		if (range / steps[i] <= 7)
			return steps[i];
	return step_of(range);
}

static void mark_time(struct tw_axis_side *side)
{
	const double step = time_step_of(side->axis->high);
	const int count = (int)(side->axis->high / step + 1e-4);

	for (int i = 0; i <= count; i++) {
		const double value = i * step;
		char name[TW_FORMAT_SIZE];

		if (step >= 3600)
			snprintf(name, sizeof(name), "%.10g h", value / 3600);
		else if (step >= 60)
			snprintf(name, sizeof(name), "%.10g min", value / 60);
		else
			snprintf(name, sizeof(name), "%.10g s", value);
		put_mark(side, value, name);
	}
}

/* Write "10 us" or "0.5 ns": a mark has one digit. */
static void name_ns(char *name, double ns)
{
	static const char *const units[] = { "ns", "us", "ms", "s" };
	int power = (int)floor(log10(ns) + 1e-9);
	int unit = power < 0 ? 0 : power / 3 > 3 ? 3 : power / 3;

	snprintf(name, TW_FORMAT_SIZE, "%.10g %s", ns / pow(10, 3 * unit), units[unit]);
}

static void mark_ns(struct tw_axis_side *side)
{
	static const double of_decade[] = { 1, 2, 5 };
	const struct tw_svg_axis *axis = side->axis;

	for (double decade = floor(axis->low); decade <= axis->high; decade++)
		for (int i = 0; i < (is_fine(axis) ? 3 : 1); i++) {
			double ns = of_decade[i] * pow(10, decade);
			char name[TW_FORMAT_SIZE];

			if (log10(ns) < axis->low - 1e-9 ||
			    log10(ns) > axis->high + 1e-9)
				continue;
			name_ns(name, ns);
			put_mark(side, ns, name);
		}
}

static void mark_bytes(struct tw_axis_side *side)
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

static void mark_tail(struct tw_axis_side *side)
{
	const int last = (int)(side->axis->high + 1e-9);

	for (int nines = 0; nines <= last; nines++) {
		char name[TW_FORMAT_SIZE];

		snprintf(name, sizeof(name), "%.*f", nines > 2 ? nines - 2 : 0,
			 100 - pow(10, 2 - nines));
		put_mark(side, pow(10, nines), name);
		if (nines == 0)
			put_mark(side, 2, "50");
	}
}

void tw_axis_marks(const struct tw_axis_side *marked, enum tw_plot_unit unit)
{
	struct tw_axis_side own = *marked, *side = &own;

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
	case TW_PLOT_TIME:
		mark_time(side);
		break;
	case TW_PLOT_CHANGE:
		mark_changes(side);
		break;
	}
}
