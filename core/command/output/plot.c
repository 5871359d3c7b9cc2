/* SPDX-License-Identifier: MIT */
/*
 * Plots of a page: what is in them; see plot.h. draw.c draws them.
 */
#include "command/output/plot.h"

#include "command/output/model.h"

void tw_plot_x(struct tw_plot *plot, enum tw_plot_unit unit, const char *label)
{
	if (plot->page->error)
		return;
	plot->x.unit = unit;
	plot->x.label = tw_page_keep(plot->page, label);
}

void tw_plot_y(struct tw_plot *plot, enum tw_plot_unit unit, const char *label)
{
	if (plot->page->error)
		return;
	plot->y.unit = unit;
	plot->y.label = tw_page_keep(plot->page, label);
}

void tw_plot_caption(struct tw_plot *plot, const char *caption)
{
	if (!plot->page->error)
		plot->caption = tw_page_keep(plot->page, caption);
}

void tw_plot_border(struct tw_plot *plot, double x, const char *name)
{
	struct tw_border *border = tw_page_take(plot->page, sizeof(*border));

	if (!border)
		return;
	border->x = x;
	border->name = tw_page_keep(plot->page, name);
	*plot->last_border = border;
	plot->last_border = &border->next;
}

/* ---- series -------------------------------------------------------------- */

/* NULL after an error. */
static struct tw_series *add_series(struct tw_plot *plot, const char *name, int color)
{
	struct tw_series *series = tw_page_take(plot->page, sizeof(*series));

	if (!series)
		return NULL;
	series->page = plot->page;
	series->name = name ? tw_page_keep(plot->page, name) : NULL;
	series->color = color;
	series->end = &series->points;
	*plot->end = series;
	plot->end = &series->next;
	return series;
}

struct tw_series *tw_plot_line(struct tw_plot *plot, const char *name, int color)
{
	/* Its page has an error: it takes no points. */
	static struct tw_page no_page = { .error = -1 };
	static struct tw_series no_series = { .page = &no_page };
	struct tw_series *series = add_series(plot, name, color);

	return series ? series : &no_series;
}

static void add_dot(struct tw_series *series, double x, double y, const char *text)
{
	struct tw_dot *dot = tw_page_take(series->page, sizeof(*dot));

	if (!dot)
		return;
	*dot = (struct tw_dot) { .x = x, .y = y, .text = text };
	*series->end = dot;
	series->end = &dot->next;
}

void tw_plot_point(struct tw_series *series, double x, double y)
{
	add_dot(series, x, y, NULL);
}

void tw_plot_dot(struct tw_series *series, double x, double y, const char *format, ...)
{
	const char *text;
	va_list args;

	va_start(args, format);
	text = tw_page_format(series->page, format, args);
	va_end(args);
	add_dot(series, x, y, text);
}

void tw_plot_bar(struct tw_plot *plot, const char *name, int color,
		 const struct tw_plot_bar *bar, const char *format, ...)
{
	struct tw_series *series = add_series(plot, name, color);
	va_list args;

	if (!series)
		return;
	va_start(args, format);
	series->text = tw_page_format(plot->page, format, args);
	va_end(args);
	series->bar = *bar;
	plot->has_bars = 1;
}
