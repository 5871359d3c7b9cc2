/* SPDX-License-Identifier: MIT */
/*
 * Draws counts as colours. Each colour is a class of the page's style, h0 to
 * h7, and one path with all its cells. Adjacent cells of a row with one colour
 * are one piece of the path.
 */
#include <math.h>

#include "command/output/model.h"
#include "command/output/svg.h"
#include "command/output/view.h"

static uint64_t largest_of(const struct tw_plot_heat *heat)
{
	uint64_t largest = 0;

	for (size_t i = 0; i < heat->columns * heat->rows && heat->counts; i++)
		if (heat->counts[i] > largest)
			largest = heat->counts[i];
	return largest;
}

/* Return the colour of a count; -1 for 0. The largest count has the last
 * colour. */
static int color_of(uint64_t count, uint64_t largest)
{
	if (count == 0)
		return -1;
	if (largest == 1)
		return TW_HEAT_COLORS - 1;
	return (int)floor((TW_HEAT_COLORS - 1) * log((double)count) /
			  log((double)largest) + 1e-9);
}

uint64_t tw_heat_from(const struct tw_plot *plot, int color)
{
	const uint64_t largest = largest_of(&plot->heat);
	uint64_t from;

	if (largest < 2)
		return color == TW_HEAT_COLORS - 1 ? largest : 0;
	from = (uint64_t)ceil(pow((double)largest,
				  (double)color / (TW_HEAT_COLORS - 1)) - 1e-6);
	return color_of(from, largest) == color ? from : 0;
}

/* Draw the cells from @column to @end of a row. */
static void put_piece(FILE *file, const struct tw_plot_heat *heat,
		      const struct tw_svg_axis *x, const struct tw_svg_axis *y,
		      size_t row, size_t column, size_t end)
{
	const double left = tw_svg_place(x, heat->x[column]);
	const double bottom = tw_svg_place(y, heat->y[row]);

	fprintf(file, "M%.1f %.1fH%.1fV%.1fH%.1fz", left, bottom,
		tw_svg_place(x, heat->x[end]), tw_svg_place(y, heat->y[row + 1]), left);
}

static void put_row(FILE *file, const struct tw_plot_heat *heat,
		    const struct tw_svg_axis *x, const struct tw_svg_axis *y,
		    size_t row, int color, uint64_t largest)
{
	size_t column = 0;

	while (column < heat->columns) {
		size_t end = column;

		while (end < heat->columns &&
		       color_of(heat->counts[end * heat->rows + row], largest) == color)
			end++;
		if (end > column)
			put_piece(file, heat, x, y, row, column, end);
		column = end + (end == column);
	}
}

void tw_draw_heat(FILE *file, const struct tw_plot *plot, const struct tw_svg_axis *x,
		  const struct tw_svg_axis *y)
{
	const uint64_t largest = largest_of(&plot->heat);

	for (int color = 0; color < TW_HEAT_COLORS && largest; color++) {
		if (!tw_heat_from(plot, color))
			continue;
		fprintf(file, "<path class=\"h%d\" d=\"", color);
		for (size_t row = 0; row < plot->heat.rows; row++)
			put_row(file, &plot->heat, x, y, row, color, largest);
		fputs("\"/>\n", file);
	}
}
