/* SPDX-License-Identifier: MIT */
/*
 * Describes a plot in words. Browsers read these words instead of the drawing, after the
 * plot's title. They contain the figures at the plot's points; for a line without figures
 * they contain its range.
 */
#include <math.h>

#include "command/output/draw.h"

static const char *form_of(char *room, enum tw_plot_unit unit, double value)
{
	if (unit == TW_PLOT_NS)
		return tw_format_ns(room, value);
	if (unit != TW_PLOT_CHANGE)
		return tw_format_number(room, value);
	snprintf(room, TW_FORMAT_SIZE, "%+.3g %%", value);
	return room;
}

static void put_range(FILE *file, const char *name, enum tw_plot_unit unit,
		      const struct tw_range *range)
{
	char low[TW_FORMAT_SIZE], high[TW_FORMAT_SIZE];

	tw_html_text(file, name);
	fprintf(file, " from %s to %s. ", form_of(low, unit, range->min),
		form_of(high, unit, range->max));
}

static int is_tagged(const struct tw_dot *dot)
{
	return dot->tag && dot->tag[0];
}

/* Write "lat p50 323 us, p99 6.36 ms", or the dots' own texts. */
static void put_tags(FILE *file, const struct tw_plot *plot,
		     const struct tw_series *series)
{
	const int is_tail = plot->about.x.unit == TW_PLOT_TAIL;
	const char *before = "";

	if (is_tail && series->name) {
		tw_html_text(file, series->name);
		fputs(" ", file);
	}
	for (const struct tw_dot *dot = series->points; dot; dot = dot->next) {
		if (!is_tagged(dot))
			continue;
		fputs(before, file);
		if (is_tail)
			fprintf(file, "p%g ", 100 - 100 / dot->x);
		tw_html_text(file, is_tail ? dot->tag : dot->text);
		before = ", ";
	}
	fputs(". ", file);
}

/* Return: 0 if the plot has neither points nor counts. */
static int put_lines(FILE *file, const struct tw_plot *plot)
{
	int any = 0;

	for (const struct tw_series *series = plot->series; series; series = series->next) {
		struct tw_range range = { INFINITY, -INFINITY };
		int has_tags = 0;

		for (const struct tw_dot *dot = series->points; dot; dot = dot->next) {
			has_tags |= is_tagged(dot);
			if (!isfinite(dot->y) || !isfinite(dot->high))
				continue;
			range.min = fmin(range.min, dot->y);
			range.max = fmax(range.max, dot->high);
		}
		if (!(range.max >= range.min))
			continue;
		any = 1;
		if (has_tags)
			put_tags(file, plot, series);
		else
			put_range(file, series->name ? series->name : plot->about.y.label,
				  plot->about.y.unit, &range);
	}
	return any;
}

int tw_draw_is_part(const struct tw_part *part)
{
	return part->size > 0 && isfinite(part->size);
}

double tw_draw_whole(const struct tw_series *stack)
{
	double whole = 0;

	for (const struct tw_part *part = stack->parts; part; part = part->next)
		whole += tw_draw_is_part(part) ? part->size : 0;
	return whole;
}

static void put_stack(FILE *file, const struct tw_series *stack)
{
	const double whole = tw_draw_whole(stack);
	char before = ':';

	tw_html_text(file, stack->name);
	for (const struct tw_part *part = stack->parts; part; part = part->next) {
		if (!tw_draw_is_part(part))
			continue;
		fprintf(file, "%c ", before);
		tw_html_text(file, part->name);
		fprintf(file, " %.3g %%", 100 * part->size / whole);
		before = ',';
	}
	fputs(". ", file);
}

static void put_heat(FILE *file, const struct tw_plot *plot)
{
	const struct tw_plot_heat *heat = &plot->heat;
	struct tw_range range = { INFINITY, -INFINITY };

	for (size_t i = 0; i < heat->columns * heat->rows; i++)
		if (heat->counts[i]) {
			range.min = fmin(range.min, heat->y[i % heat->rows]);
			range.max = fmax(range.max, heat->y[i % heat->rows + 1]);
		}
	if (range.max > range.min)
		put_range(file, "I/Os", plot->about.y.unit, &range);
}

void tw_draw_label(FILE *file, const struct tw_plot *plot)
{
	const struct tw_series *bar;

	for (bar = plot->series; bar && plot->has_bars; bar = bar->next) {
		tw_html_text(file, bar->text);
		fputs(". ", file);
	}
	for (bar = plot->series; bar && plot->has_stacks; bar = bar->next)
		put_stack(file, bar);
	if (plot->has_bars || plot->has_stacks)
		return;
	put_heat(file, plot);
	if (!put_lines(file, plot) && !plot->heat.counts)
		fputs("no data", file);
}
