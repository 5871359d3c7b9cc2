/* SPDX-License-Identifier: MIT */
/*
 * Whichever allocation of a page fails, building the page goes on, every writer
 * returns -ENOMEM without a byte, and nothing is lost. Fails if a builder must
 * check the results of its calls.
 *
 * The linker replaces the functions that allocate by those below (--wrap).
 */
#include <errno.h>
#include <stdarg.h>

#include "command/output/json.h"
#include "command/output/plot.h"
#include "tickwise.h"
#include "output.h"

static int left = -1;		/* the allocation after these fails; -1: none */
static long blocks;		/* allocated by the page now */

static int fails(void)
{
	return left >= 0 && left-- == 0;
}

void *__real_calloc(size_t count, size_t size);
int __real_vasprintf(char **text, const char *format, va_list args);
void __real_free(void *block);
void *__wrap_calloc(size_t count, size_t size);
int __wrap_vasprintf(char **text, const char *format, va_list args);
void __wrap_free(void *block);

void *__wrap_calloc(size_t count, size_t size)
{
	void *block = fails() ? NULL : __real_calloc(count, size);

	blocks += block != NULL;
	return block;
}

int __wrap_vasprintf(char **text, const char *format, va_list args)
{
	int length = fails() ? -1 : __real_vasprintf(text, format, args);

	blocks += length >= 0;
	return length;
}

void __wrap_free(void *block)
{
	blocks -= block != NULL;
	__real_free(block);
}

static const struct tw_column columns[] = {
	{ .heading = "one", .group = "both" }, { .heading = "two" },
};

static struct tw_table *build(struct tw_page **page)
{
	struct tw_table *table;
	struct tw_series *series;
	struct tw_plot *plot;

	*page = tw_page_new("title");
	tw_page_contents(*page);
	tw_page_heading(*page, 2, "heading");
	tw_page_fact(*page, "name", "fact");
	tw_page_more(*page, "more");
	tw_page_only(*page, TW_IN_TEXT);
	tw_page_indent(*page, 1, 1);
	plot = tw_page_plot(*page, "plot");
	tw_plot_x(plot, TW_PLOT_NS, "x");
	tw_plot_y(plot, TW_PLOT_NS, "y");
	tw_plot_caption(plot, "caption");
	tw_plot_border(plot, 1, "border");
	series = tw_plot_line(plot, "line", 1);
	tw_plot_point(series, 1, 1);
	tw_plot_dot(series, 1, 1, "dot");
	tw_plot_tag(series, 1, 1, "tag", "dot");
	tw_plot_band_point(tw_plot_band(plot, "band", 1), 1, 1, 2);
	tw_plot_heat(plot, &(struct tw_plot_heat) {
		1, 1, (double[]) { 0, 1 }, (double[]) { 1, 2 }, (uint64_t[]) { 1 } });
	plot = tw_page_plot(*page, "stacks");
	tw_plot_same_scale(plot);
	tw_plot_part(tw_plot_stack(plot, "stack"), "part", 1, 1);
	plot = tw_page_plot(*page, "bars");
	tw_plot_bar(plot, "bar", 1, &(struct tw_plot_bar) { .high = 1 }, "bar");
	table = tw_page_table(*page, columns, 2);
	tw_table_limit(table, 1, "--json");
	tw_table_cut(table, 79);
	tw_table_row(table);
	tw_cell_text(table, "text");
	tw_cell_printf(table, "%d", 1);
	tw_table_span(table, "span");
	return table;
}

static size_t written(const struct tw_page *page, const struct tw_table *table,
		      int should)
{
	char *is = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&is, &size);
	int errors = (tw_output_text(page, file) != should) +
		     (tw_output_html(page, file) != should) +
		     (tw_output_csv(table, file) != should);

	fclose(file);
	__real_free(is);
	return errors ? SIZE_MAX : size;
}

int main(void)
{
	int wrong = 0, wrote = 0, lost = 0, allocations = 0;
	struct tw_page *page;
	struct tw_table *table = build(&page);

	tap_ok(written(page, table, 0) > 3, "with memory, all is written");
	tw_page_free(page);
	tap_ok(blocks == 0, "and given back");
	for (int i = 0; ; i++) {
		size_t size;

		left = i;
		table = build(&page);
		if (left >= 0) {
			left = -1;
			tw_page_free(page);
			break;
		}
		size = written(page, table, -ENOMEM);
		wrong += size == SIZE_MAX;
		wrote += size != 0;
		tw_page_free(page);
		lost += blocks != 0;
		allocations++;
	}
	tap_note("%d allocations", allocations);
	tap_ok(allocations > 30, "each of its allocations fails once");
	tap_ok(wrong == 0, "each writer says so");
	tap_ok(wrote == 0, "and writes nothing");
	tap_ok(lost == 0, "what was there is given back");
	tap_ok(tw_output_json(NULL, stdout, 0) == -ENOMEM, "no JSON without memory");
	return tap_done();
}
