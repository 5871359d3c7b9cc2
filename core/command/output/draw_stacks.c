/* SPDX-License-Identifier: MIT */
/*
 * Draws bars that are divided into parts. Each bar is as wide as the view, so
 * that bars with small totals are readable, or all bars have the same scale.
 */
#include <math.h>
#include <string.h>

#include "command/output/axis.h"
#include "command/output/html_text.h"
#include "command/output/model.h"
#include "command/output/view.h"

#define ROW	72
#define NAME	24		/* base line of the name */
#define BAR	34
#define HEIGHT	30

static double whole_of(const struct tw_series *stack)
{
	double whole = 0;

	for (const struct tw_part *part = stack->parts; part; part = part->next)
		if (part->size > 0 && isfinite(part->size))
			whole += part->size;
	return whole;
}

/* Write "device 52.1 %", the name alone, or nothing, depending on the room. */
static void put_inside(FILE *file, const struct tw_part *part, double percent, double x,
		       double width, double y)
{
	char text[96];

	snprintf(text, sizeof(text), "%s %.3g %%", part->name, percent);
	if ((double)strlen(text) * TW_VIEW_LETTER > width - 4)
		snprintf(text, sizeof(text), "%s", part->name);
	if ((double)strlen(text) * TW_VIEW_LETTER > width - 4)
		return;
	fprintf(file, "<text class=\"on\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">",
		x + width / 2, y + HEIGHT / 2.0 + 6);
	tw_html_text(file, text);
	fputs("</text>\n", file);
}

static void put_part(FILE *file, const struct tw_part *part, double share, double scale,
		     double x, double y)
{
	const double width = share * scale * TW_VIEW_WIDTH;

	fputs("<g><title>", file);
	tw_html_text(file, part->name);
	fprintf(file, ": %.3g %%</title><rect class=\"f%d part\" x=\"%.1f\" y=\"%.1f\" "
		"width=\"%.1f\" height=\"%d\"/>\n", 100 * share, part->color, x, y,
		width, HEIGHT);
	put_inside(file, part, 100 * share, x, width, y);
	fputs("</g>\n", file);
}

/* Return the total of the bar that is as wide as the view. */
static double largest_of(const struct tw_plot *plot)
{
	double largest = 0;

	for (const struct tw_series *stack = plot->series; stack; stack = stack->next)
		largest = fmax(largest, whole_of(stack));
	return largest;
}

static void put_stack(FILE *file, const struct tw_series *stack, double largest, double top)
{
	const double whole = whole_of(stack);
	const double scale = whole / (largest > 0 ? largest : whole);
	double x = 0;

	tw_svg_label(file, 0, top + NAME, "start", stack->name);
	for (const struct tw_part *part = stack->parts; part; part = part->next) {
		if (!(part->size > 0) || !isfinite(part->size))
			continue;
		put_part(file, part, part->size / whole, scale, x, top + BAR);
		x += part->size / whole * scale * TW_VIEW_WIDTH;
	}
}

void tw_draw_stacks(FILE *file, const struct tw_plot *plot)
{
	const double largest = plot->has_same_scale ? largest_of(plot) : 0;
	int rows = 0;

	for (const struct tw_series *stack = plot->series; stack; stack = stack->next)
		rows++;
	tw_view_begin(file, plot, rows * ROW);
	rows = 0;
	for (const struct tw_series *stack = plot->series; stack; stack = stack->next)
		put_stack(file, stack, largest, rows++ * ROW);
	tw_svg_end(file);
}
