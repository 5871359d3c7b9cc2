/* SPDX-License-Identifier: MIT */
/*
 * The model of what a subcommand shows: blocks in their order. How a number gets
 * onto a page:
 *
 *	get		the subcommand fills a struct of its own. Most subcommands
 *			measure. `report` and `diff` read files that the engine wrote
 *			(plugin/report.c): reports/load.c finds the reports in them,
 *			core/report/ reads and merges these
 *	build		its page builder (page.c of the subcommand) puts that struct
 *			into a struct tw_page: headings, text, facts, tables, plots
 *	write		tw_output_text() (text.h) writes the page for a terminal,
 *			tw_output_html() (html.h) as HTML, tw_output_csv() (csv.h) one
 *			table of it. With --html=FILE a subcommand calls
 *			tw_command_html_file()
 *
 * JSON is no page: the subcommand makes a tree for tw_output_json() (json.h).
 *
 * Builders need not care what bytes a text has: what is no UTF-8 and what moves the
 * cursor becomes '?' on its way into the page. Strings are copied.
 */
#ifndef TW_OUTPUT_PAGE_H
#define TW_OUTPUT_PAGE_H

#include <stddef.h>

struct tw_page;

#define TW_PRINTF(at, args)	__attribute__((format(printf, at, args)))

struct tw_page *tw_page_new(const char *title);
void tw_page_free(struct tw_page *page);

/* @level: 2 for a part of the page, 3 for a part of this. A blank line comes
 * before. */
void tw_page_heading(struct tw_page *page, int level, const char *format, ...)
	TW_PRINTF(3, 4);
/* Add links to the page's headings of level 2. HTML only. */
void tw_page_contents(struct tw_page *page);

/* Add a paragraph. Its second and further lines are indented by 2 columns. */
void tw_page_paragraph(struct tw_page *page, const char *format, ...)
	TW_PRINTF(2, 3);
/* Add a remark about the block before. All its lines are indented. */
void tw_page_remark(struct tw_page *page, const char *format, ...) TW_PRINTF(2, 3);
/* Add a note that explains terms of the page. It is dim in HTML, and not
 * indented in text. */
void tw_page_note(struct tw_page *page, const char *format, ...) TW_PRINTF(2, 3);
/* Add "WARNING: " and the text. */
void tw_page_warning(struct tw_page *page, const char *format, ...) TW_PRINTF(2, 3);
/* Add " - " and the text. */
void tw_page_item(struct tw_page *page, const char *format, ...) TW_PRINTF(2, 3);
/* Add a fact: a name and its text. The texts of all facts of a page begin in
 * one column. An empty @name continues the fact before. */
void tw_page_fact(struct tw_page *page, const char *name, const char *format, ...)
	TW_PRINTF(3, 4);

/* Add to the text of the block that was added last. */
void tw_page_more(struct tw_page *page, const char *format, ...) TW_PRINTF(2, 3);

/* Add a blank line in text. Adjacent ones count as one. */
void tw_page_gap(struct tw_page *page);

/* Begin a part that HTML folds under a summary, and that other media do not
 * have. It lasts up to tw_page_end_details(). */
void tw_page_details(struct tw_page *page, const char *format, ...) TW_PRINTF(2, 3);
void tw_page_end_details(struct tw_page *page);

/* For the last block: set which media show it, which is rarely needed; and set
 * where its first line and the others begin in text. */
enum tw_media { TW_IN_TEXT = 1, TW_IN_HTML = 2, TW_IN_CSV = 4 };

void tw_page_only(struct tw_page *page, unsigned media);
void tw_page_indent(struct tw_page *page, int first, int others);

/* Mark the last block as a verdict: its text up to the first colon, or all of
 * it. It has a colour on a terminal. */
enum tw_mark { TW_MARK_NONE, TW_MARK_GOOD, TW_MARK_BAD, TW_MARK_UNDECIDED };

void tw_page_mark(struct tw_page *page, enum tw_mark mark);

/* Add a table (table.h) and a plot (plot.h). */
struct tw_column;
struct tw_table *tw_page_table(struct tw_page *page, const struct tw_column *columns,
			       size_t count);
/* Add tiles: the few figures at the top of a page. They are a table whose first
 * column names the row, such as "read". Each other cell is a tile. The column's
 * heading is the label, the cell's text is value and unit. Text has a table
 * instead. */
struct tw_table *tw_page_tiles(struct tw_page *page, const struct tw_column *columns,
			       size_t count);
struct tw_plot *tw_page_plot(struct tw_page *page, const char *title);

#endif
