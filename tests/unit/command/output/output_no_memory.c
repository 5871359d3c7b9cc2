/* SPDX-License-Identifier: MIT */
/*
 * Whichever allocation of a page fails, the program ends with one message and its exit
 * code. Fails if a NULL gets to a caller, or if a page loses memory.
 *
 * The linker replaces the functions that allocate by those below (--wrap).
 *
 * Wraps: calloc vasprintf free
 */
#include <stdarg.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command/command.h"
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

/* Build a page and write it; return the number of bytes. */
static size_t show(void)
{
	struct tw_page *page;
	struct tw_table *table = build(&page);
	char *is = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&is, &size);

	tw_output_text(page, file);
	tw_output_html(page, file);
	tw_output_csv(table, file);
	tw_page_free(page);
	fclose(file);
	__real_free(is);
	return size;
}

/* Do it in a child, without one allocation. Return: 1: none failed; 0: the child ended as
 * it should; -1: in another way. */
static int show_without(int number)
{
	static const char should[] = "tickwise: out of memory\n";
	char is[128] = "";
	int ends[2], status;
	ssize_t length;

	if (pipe(ends))
		return -1;
	if (fork() == 0) {
		dup2(ends[1], STDERR_FILENO);
		left = number;
		show();
		_exit(0);
	}
	close(ends[1]);
	length = read(ends[0], is, sizeof(is) - 1);
	close(ends[0]);
	if (wait(&status) < 0 || !WIFEXITED(status) || length < 0)
		return -1;
	if (WEXITSTATUS(status) == 0 && !*is)
		return 1;
	return WEXITSTATUS(status) == TW_EXIT_SOFTWARE && !strcmp(is, should) ? 0 : -1;
}

int main(void)
{
	int wrong = 0, number = 0, is;

	tap_ok(show() > 1000, "with memory, all is written");
	tap_ok(blocks == 0, "and given back");
	while ((is = show_without(number)) <= 0) {
		wrong += is;
		number++;
	}
	tap_ok(number > 30, "each of %d allocations fails once", number);
	tap_ok(wrong == 0, "each time a line says so, and the program ends with 70");
	return tap_done();
}
