/* SPDX-License-Identifier: MIT */
/*
 * The model of what a subcommand shows: blocks in their order. How a number gets
 * onto a page:
 *
 *	get		the subcommand fills a struct of its own. Most subcommands
 *			measure. `report` and `diff` read files that the engine wrote
 *			(plugin/report.c): report/load.c and read.c read them, and
 *			merge.c merges jobs
 *	build		its page builder (page.c of the subcommand) puts that struct
 *			into a struct tw_page: headings, text, facts, tables, plots
 *	write		tw_output_text() (text.h) writes the page for a terminal,
 *			tw_output_html() (html.h) as HTML, tw_output_csv() (csv.h) one
 *			table of it. With --html=FILE a subcommand calls
 *			tw_command_html_file(). That calls tw_output_html_file()
 *			(file.h), which opens FILE and calls tw_output_html()
 *
 * JSON is no page: the subcommand makes a tree for tw_output_json() (json.h).
 *
 * Builders need no error paths: after a failed allocation a page stays usable, and
 * the writer returns -ENOMEM. They need not care what bytes a text has either: what
 * is no UTF-8 and what moves the cursor becomes '?' on its way into the page.
 * Strings are copied.
 */
#ifndef TW_OUTPUT_PAGE_H
#define TW_OUTPUT_PAGE_H

#include <stddef.h>

struct tw_page;

#define TW_PRINTF(at, args)	__attribute__((format(printf, at, args)))

/* Never NULL. */
struct tw_page *tw_page_new(const char *title);
void tw_page_free(struct tw_page *page);
/* Of a builder that has no memory for something of its own. */
void tw_page_fail(struct tw_page *page);

/* @level: 2 of a part of the page, 3 of a part of that. A blank line comes before. */
void tw_page_heading(struct tw_page *page, int level, const char *format, ...)
	TW_PRINTF(3, 4);
/* The page's headings of level 2, with links. HTML only. */
void tw_page_contents(struct tw_page *page);

/* Further lines are indented by 2 columns. */
void tw_page_paragraph(struct tw_page *page, const char *format, ...)
	TW_PRINTF(2, 3);
/* About the block before: all lines are indented. */
void tw_page_remark(struct tw_page *page, const char *format, ...) TW_PRINTF(2, 3);
/* What the page's words mean: dim in HTML, not indented in text. */
void tw_page_note(struct tw_page *page, const char *format, ...) TW_PRINTF(2, 3);
/* "WARNING: " and the text. */
void tw_page_warning(struct tw_page *page, const char *format, ...) TW_PRINTF(2, 3);
/* "  - " and the text. */
void tw_page_item(struct tw_page *page, const char *format, ...) TW_PRINTF(2, 3);
/* A name, and what there is to know. All facts of a page have their text in one
 * column. An empty @name: the fact before goes on. */
void tw_page_fact(struct tw_page *page, const char *name, const char *format, ...)
	TW_PRINTF(3, 4);

/* Add to the text of the block that was added last. */
void tw_page_more(struct tw_page *page, const char *format, ...) TW_PRINTF(2, 3);

/* A blank line in text; several are one. */
void tw_page_gap(struct tw_page *page);

/* What follows, up to the end, is folded in HTML under @summary, and is nowhere
 * else. */
void tw_page_details(struct tw_page *page, const char *format, ...) TW_PRINTF(2, 3);
void tw_page_end_details(struct tw_page *page);

/* Of the block that was added last: which media show it; to be used rarely. And where
 * its first line and the others begin in text. */
enum tw_media { TW_IN_TEXT = 1, TW_IN_HTML = 2, TW_IN_CSV = 4 };

void tw_page_only(struct tw_page *page, unsigned media);
void tw_page_indent(struct tw_page *page, int first, int others);

/* Of the block that was added last: its text up to the first colon, or all of it, is a
 * verdict, which has a colour on a terminal. */
enum tw_mark { TW_MARK_NONE, TW_MARK_GOOD, TW_MARK_BAD, TW_MARK_UNDECIDED };

void tw_page_mark(struct tw_page *page, enum tw_mark mark);

/* A table (table.h) and a plot (plot.h) at the page's end. Neither returns NULL. */
struct tw_column;
struct tw_table *tw_page_table(struct tw_page *page, const struct tw_column *columns,
			       size_t count);
/* Tiles: the few figures that a page begins with. They are a table whose first column
 * names the row, as "read". Each other cell is a tile: its label is the heading of its
 * column, its value and unit are the cell's form. Text prints a table. */
struct tw_table *tw_page_tiles(struct tw_page *page, const struct tw_column *columns,
			       size_t count);
struct tw_plot *tw_page_plot(struct tw_page *page, const char *title);

#endif
