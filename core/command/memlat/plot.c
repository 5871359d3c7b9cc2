/* SPDX-License-Identifier: MIT */
/*
 * The curves in a terminal: letters over size and latency, both logarithmic.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "command/format.h"
#include "command/memlat/memlat.h"

#define COLUMNS		64
#define ROWS		18

struct grid {
	struct tw_memlat_range range;
	char cells[ROWS][COLUMNS + 1];
};

/* In transparent and reserved pages: capital letters. */
static char letter_of(const struct tw_curve *curve)
{
	char letter = tw_cycle_names[curve->shape.kind][0];

	return curve->pages == TW_PAGES_SMALL ? letter :
						(char)(letter - 'a' + 'A');
}

static void draw(struct grid *grid, const struct tw_curve *curve)
{
	const struct tw_memlat_range *range = &grid->range;

	for (unsigned i = 0; i < curve->count; i++) {
		const struct tw_memory_point *point = &curve->points[i];
		double x, y;

		if (!point->batches)
			continue;
		x = (log2((double)point->bytes) - range->from) /
		    (range->to - range->from) * (COLUMNS - 1);
		y = (log10(point->median_ns) - range->low) /
		    (range->high - range->low) * (ROWS - 1);
		grid->cells[ROWS - 1 - lround(y)][lround(x)] =
			letter_of(curve);
	}
}

static void print_rows(const struct grid *grid)
{
	const struct tw_memlat_range *range = &grid->range;

	for (int row = 0; row < ROWS; row++) {
		double log_ns = range->high - (range->high - range->low) * row /
					      (ROWS - 1);
		int length = COLUMNS;

		while (length && grid->cells[row][length - 1] == ' ')
			length--;
		printf("%9.3g |%.*s\n", pow(10, log_ns), length,
		       grid->cells[row]);
	}
}

/* A size below each of some places of the axis. */
static void print_axis(const struct grid *grid)
{
	const double from = grid->range.from, to = grid->range.to;
	char line[COLUMNS + TW_FORMAT_SIZE], size[TW_FORMAT_SIZE];
	int end = -1;

	memset(line, ' ', sizeof(line));
	for (double power = ceil(from); power <= to; power += 2) {
		int at = (int)lround((power - from) / (to - from) *
				     (COLUMNS - 1));
		size_t length;

		if (at <= end)
			continue;
		tw_memlat_size(size, (size_t)exp2(power));
		length = strlen(size);
		memcpy(line + at, size, length);
		end = at + (int)length;
	}
	printf("       ns +%.*s\n", COLUMNS,
	       "----------------------------------------------------------------"
	       "--------");
	printf("           %.*s\n", end > 0 ? end : 0, line);
}

static void print_legend(const struct tw_memlat *memlat)
{
	struct tw_paragraph line = { .indent = 11 };

	tw_paragraph_printf(&line, "          ");
	for (unsigned i = 0; i < memlat->curve_count; i++)
		tw_paragraph_printf(&line, "%c: %s, %s%s",
				    letter_of(&memlat->curves[i]),
				    tw_cycle_names[memlat->curves[i].shape.kind],
				    tw_pages_names[memlat->curves[i].pages],
				    i + 1 < memlat->curve_count ? ";" : "");
	tw_paragraph_end(&line);
}

void tw_memlat_print_plot(const struct tw_memlat *memlat)
{
	struct grid grid = { .range = tw_memlat_range(memlat) };

	/* Nothing to see in one point, or on one level. */
	if (!(grid.range.to - grid.range.from >= 1) ||
	    !(grid.range.high > grid.range.low))
		return;
	for (int row = 0; row < ROWS; row++) {
		memset(grid.cells[row], ' ', COLUMNS);
		grid.cells[row][COLUMNS] = '\0';
	}
	for (unsigned i = memlat->curve_count; i-- > 0;)
		draw(&grid, &memlat->curves[i]);
	puts("\nMedian ns a load over memory:\n");
	print_rows(&grid);
	print_axis(&grid);
	print_legend(memlat);
}
