/* SPDX-License-Identifier: MIT */
/*
 * Plots of a page: their contents. draw.c draws them.
 */
#include "command/output/page.h"

#include <string.h>

#include "command/output/model.h"

void tw_plot_x(struct tw_plot *plot, enum tw_plot_unit unit, const char *label)
{
	plot->x.unit = unit;
	plot->x.label = tw_page_keep(plot->page, label);
}

void tw_plot_y(struct tw_plot *plot, enum tw_plot_unit unit, const char *label)
{
	plot->y.unit = unit;
	plot->y.label = tw_page_keep(plot->page, label);
}

void tw_plot_reach_x(struct tw_plot *plot, double x)
{
	plot->reaches_x = x;
	plot->has_reach = 1;
}

void tw_plot_caption(struct tw_plot *plot, const char *caption)
{
	plot->caption = tw_page_keep(plot->page, caption);
}

void tw_plot_border(struct tw_plot *plot, double x, const char *name)
{
	struct tw_border *border = tw_page_take(plot->page, sizeof(*border));

	border->x = x;
	border->name = tw_page_keep(plot->page, name);
	*plot->last_border = border;
	plot->last_border = &border->next;
}

void tw_plot_rule(struct tw_plot *plot, double y, const char *name)
{
	plot->rule.y = y;
	plot->rule.name = tw_page_keep(plot->page, name);
}

/* ---- series -------------------------------------------------------------- */

struct tw_series *tw_plot_line(struct tw_plot *plot, const char *name, int color)
{
	struct tw_series *series = tw_page_take(plot->page, sizeof(*series));

	series->page = plot->page;
	series->name = name ? tw_page_keep(plot->page, name) : NULL;
	series->color = color;
	series->end = &series->points;
	*plot->end = series;
	plot->end = &series->next;
	return series;
}

static void add(struct tw_series *series, const struct tw_dot *is)
{
	struct tw_dot *dot = tw_page_take(series->page, sizeof(*dot));

	*dot = *is;
	*series->end = dot;
	series->end = &dot->next;
}

static void add_dot(struct tw_series *series, double x, double y, const char *text,
		    const char *tag)
{
	add(series, &(struct tw_dot) {
		.x = x, .y = y, .high = y, .text = text, .tag = tag,
	});
}

struct tw_series *tw_plot_band(struct tw_plot *plot, const char *name, int color)
{
	struct tw_series *series = tw_plot_line(plot, name, color);

	series->is_band = 1;
	return series;
}

void tw_plot_band_point(struct tw_series *band, double x, double low, double high)
{
	add(band, &(struct tw_dot) { .x = x, .y = low, .high = high });
}

void tw_plot_point(struct tw_series *series, double x, double y)
{
	add_dot(series, x, y, NULL, NULL);
}

void tw_plot_dot(struct tw_series *series, double x, double y, const char *format, ...)
{
	const char *text;
	va_list args;

	va_start(args, format);
	text = tw_page_format(series->page, format, args);
	va_end(args);
	add_dot(series, x, y, text, NULL);
}

void tw_plot_tag(struct tw_series *series, double x, double y, const char *tag,
		 const char *format, ...)
{
	const char *kept = tw_page_keep(series->page, tag);
	const char *text;
	va_list args;

	va_start(args, format);
	text = tw_page_format(series->page, format, args);
	va_end(args);
	add_dot(series, x, y, text, kept);
}

void tw_plot_bar(struct tw_plot *plot, const char *name, int color,
		 const struct tw_plot_bar *bar, const char *format, ...)
{
	struct tw_series *series = tw_plot_line(plot, name, color);
	va_list args;

	va_start(args, format);
	series->text = tw_page_format(plot->page, format, args);
	va_end(args);
	series->bar = *bar;
	plot->has_bars = 1;
}

/* ---- bars of parts, counts ----------------------------------------------- */

struct tw_series *tw_plot_stack(struct tw_plot *plot, const char *format, ...)
{
	struct tw_series *series = tw_plot_line(plot, NULL, 0);
	va_list args;

	va_start(args, format);
	series->name = tw_page_format(plot->page, format, args);
	va_end(args);
	series->last_part = &series->parts;
	plot->has_stacks = 1;
	return series;
}

void tw_plot_same_scale(struct tw_plot *plot)
{
	plot->has_same_scale = 1;
}

void tw_plot_part(struct tw_series *stack, const char *name, int color, double size)
{
	struct tw_part *part = tw_page_take(stack->page, sizeof(*part));

	*part = (struct tw_part) {
		.name = tw_page_keep(stack->page, name), .color = color, .size = size,
	};
	*stack->last_part = part;
	stack->last_part = &part->next;
}

static const void *copy(struct tw_page *page, const void *from, size_t size)
{
	return memcpy(tw_page_take(page, size), from, size);
}

void tw_plot_heat(struct tw_plot *plot, const struct tw_plot_heat *heat)
{
	struct tw_page *page = plot->page;
	struct tw_plot_heat own = *heat;

	own.x = copy(page, heat->x, (heat->columns + 1) * sizeof(*heat->x));
	own.y = copy(page, heat->y, (heat->rows + 1) * sizeof(*heat->y));
	own.counts = copy(page, heat->counts,
			  heat->columns * heat->rows * sizeof(*heat->counts));
	plot->heat = own;
}
