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
	double from, to;		/* log2 of bytes */
	double low, high;		/* log10 of ns */
	char cells[ROWS][COLUMNS + 1];
};

/* In transparent and reserved pages: capital letters. */
static char letter_of(const struct tw_curve *curve)
{
	char letter = tw_cycle_names[curve->shape.kind][0];

	return curve->pages == TW_PAGES_SMALL ? letter :
						(char)(letter - 'a' + 'A');
}

static void find_range(struct grid *grid, const struct tw_memlat *memlat)
{
	grid->low = grid->from = INFINITY;
	grid->high = grid->to = -INFINITY;
	for (unsigned i = 0; i < memlat->curve_count; i++)
		for (unsigned j = 0; j < memlat->curves[i].count; j++) {
			const struct tw_memory_point *point =
				&memlat->curves[i].points[j];

			if (!point->batches)
				continue;
			grid->from = fmin(grid->from,
					  log2((double)point->bytes));
			grid->to = fmax(grid->to, log2((double)point->bytes));
			grid->low = fmin(grid->low, log10(point->median_ns));
			grid->high = fmax(grid->high, log10(point->median_ns));
		}
}

static void draw(struct grid *grid, const struct tw_curve *curve)
{
	for (unsigned i = 0; i < curve->count; i++) {
		const struct tw_memory_point *point = &curve->points[i];
		double x, y;

		if (!point->batches)
			continue;
		x = (log2((double)point->bytes) - grid->from) /
		    (grid->to - grid->from) * (COLUMNS - 1);
		y = (log10(point->median_ns) - grid->low) /
		    (grid->high - grid->low) * (ROWS - 1);
		grid->cells[ROWS - 1 - lround(y)][lround(x)] =
			letter_of(curve);
	}
}

static void print_rows(const struct grid *grid)
{
	for (int row = 0; row < ROWS; row++) {
		double log_ns = grid->high - (grid->high - grid->low) * row /
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
	char line[COLUMNS + TW_FORMAT_SIZE], size[TW_FORMAT_SIZE];
	int end = -1;

	memset(line, ' ', sizeof(line));
	for (double power = ceil(grid->from); power <= grid->to; power += 2) {
		int at = (int)lround((power - grid->from) /
				     (grid->to - grid->from) * (COLUMNS - 1));
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
	struct grid grid;

	find_range(&grid, memlat);
	/* Nothing to see in one point, or on one level. */
	if (!(grid.to - grid.from >= 1) || !(grid.high > grid.low))
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
