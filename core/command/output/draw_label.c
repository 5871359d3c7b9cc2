/* SPDX-License-Identifier: MIT */
/*
 * Describes a plot in words, for readers who can't see it. Browsers read these
 * words instead of the drawing, after the plot's title. They contain the
 * figures at the plot's points; for a line without figures they contain its
 * range.
 */
#include <math.h>
#include <string.h>

#include "command/output/axis.h"
#include "command/output/page.h"
#include "command/output/html_text.h"
#include "command/output/model.h"
#include "command/output/view.h"

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
	fprintf(file, " from %s to %s", form_of(low, unit, range->min),
		form_of(high, unit, range->max));
}

/* ---- lines ---------------------------------------------------------------- */

static int is_tagged(const struct tw_dot *dot)
{
	return dot->tag && dot->tag[0];
}

static int has_tags(const struct tw_series *series)
{
	const struct tw_dot *dot = series->points;

	while (dot && !is_tagged(dot))
		dot = dot->next;
	return dot != NULL;
}

/* Write "lat p50 323 us, p99 6.36 ms", or the dots' own texts. */
static void put_tags(FILE *file, const struct tw_plot *plot,
		     const struct tw_series *series)
{
	const int is_tail = plot->x.unit == TW_PLOT_TAIL;
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
}

/* Find the range of a line. Return: 0 if it has no points. */
static int find_range(struct tw_range *range, const struct tw_series *series)
{
	*range = (struct tw_range) { INFINITY, -INFINITY };
	for (const struct tw_dot *dot = series->points; dot; dot = dot->next) {
		if (!isfinite(dot->y) || !isfinite(dot->high))
			continue;
		range->min = fmin(range->min, dot->y);
		range->max = fmax(range->max, dot->high);
	}
	return range->max >= range->min;
}

static void put_lines(FILE *file, const struct tw_plot *plot)
{
	for (const struct tw_series *series = plot->series; series;
	     series = series->next) {
		struct tw_range range;

		if (!find_range(&range, series))
			continue;
		if (has_tags(series))
			put_tags(file, plot, series);
		else
			put_range(file, series->name ? series->name : plot->y.label,
				  plot->y.unit, &range);
		fputs(". ", file);
	}
}

/* ---- bars, counts --------------------------------------------------------- */

static void put_bars(FILE *file, const struct tw_plot *plot)
{
	for (const struct tw_series *series = plot->series; series;
	     series = series->next) {
		tw_html_text(file, series->text);
		fputs(". ", file);
	}
}

static int is_seen(const struct tw_part *part)
{
	return part->size > 0 && isfinite(part->size);
}

static void put_stack(FILE *file, const struct tw_series *stack)
{
	double whole = 0;
	char before = ':';

	for (const struct tw_part *part = stack->parts; part; part = part->next)
		if (is_seen(part))
			whole += part->size;
	tw_html_text(file, stack->name);
	for (const struct tw_part *part = stack->parts; part; part = part->next) {
		if (!is_seen(part))
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

	for (size_t i = 0; i < heat->columns * heat->rows && heat->counts; i++)
		if (heat->counts[i]) {
			range.min = fmin(range.min, heat->y[i % heat->rows]);
			range.max = fmax(range.max, heat->y[i % heat->rows + 1]);
		}
	if (!(range.max > range.min))
		return;
	put_range(file, "I/Os", plot->y.unit, &range);
	fputs(". ", file);
}

/* Return 1 if a plot of lines or counts has data. */
static int has_words(const struct tw_plot *plot)
{
	const struct tw_series *series = plot->series;
	struct tw_range range;

	while (series && !find_range(&range, series))
		series = series->next;
	return series || plot->heat.counts;
}

void tw_draw_label(FILE *file, const struct tw_plot *plot)
{
	if (plot->has_bars) {
		put_bars(file, plot);
		return;
	}
	if (!plot->has_stacks && !has_words(plot))
		fputs("no data", file);
	for (const struct tw_series *stack = plot->series; stack && plot->has_stacks;
	     stack = stack->next)
		put_stack(file, stack);
	put_heat(file, plot);
	if (!plot->has_stacks)
		put_lines(file, plot);
}
