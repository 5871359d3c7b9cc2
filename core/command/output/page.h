/* SPDX-License-Identifier: MIT */
/*
 * The model of what a subcommand shows: blocks in their order. How a number gets
 * onto a page:
 *
 *	get		the subcommand fills a struct of its own. Most subcommands
 *			measure. `report` and `diff` read files that the engine wrote
 *			(plugin/job_report/job_report.c): analysis/load.c finds the reports in them,
 *			core/report/ reads and merges these
 *	build		its page builder (NAME_page.c or NAME.c) puts that struct
 *			into a struct tw_page: headings, text, facts, tables, plots
 *	write		tw_output_text() writes the page for a terminal, tw_output_html()
 *			as HTML, tw_output_csv() one table of it
 *
 * JSON is no page: the subcommand makes a tree for tw_output_json().
 *
 * Builders need not care what bytes a text has: what is no UTF-8 and what moves the
 * cursor becomes '?' on its way into the page. Strings are copied.
 */
#ifndef TW_OUTPUT_PAGE_H
#define TW_OUTPUT_PAGE_H

#include <inttypes.h>
#include <jansson.h>
#include <stddef.h>
#include <stdio.h>

#include "array.h"

struct tw_page;

#define TW_PRINTF(at, args)	__attribute__((format(printf, at, args)))

struct tw_page *tw_page_new(const char *title);
void tw_page_free(struct tw_page *page);

/* What a page consists of. In text, the lines of a block are indented by its kind. */
enum tw_block_kind {
	TW_BLOCK_HEADING,
	TW_BLOCK_CONTENTS,
	TW_BLOCK_PARAGRAPH,		/* its first line is not indented */
	TW_BLOCK_REMARK,		/* about the block before: all lines are indented */
	TW_BLOCK_NOTE,			/* explains terms of the page; dim in HTML */
	TW_BLOCK_WARNING,		/* "WARNING: " and the text */
	TW_BLOCK_ITEM,			/* " - " and the text */
	TW_BLOCK_FACT,
	TW_BLOCK_GAP,
	TW_BLOCK_DETAILS,
	TW_BLOCK_END_DETAILS,
	TW_BLOCK_TABLE,
	TW_BLOCK_PLOT,
};

void tw_page_add(struct tw_page *page, enum tw_block_kind kind, const char *format, ...)
	TW_PRINTF(3, 4);

#define tw_page_paragraph(page, ...)	tw_page_add(page, TW_BLOCK_PARAGRAPH, __VA_ARGS__)
#define tw_page_remark(page, ...)	tw_page_add(page, TW_BLOCK_REMARK, __VA_ARGS__)
#define tw_page_note(page, ...)		tw_page_add(page, TW_BLOCK_NOTE, __VA_ARGS__)
#define tw_page_warning(page, ...)	tw_page_add(page, TW_BLOCK_WARNING, __VA_ARGS__)
#define tw_page_item(page, ...)		tw_page_add(page, TW_BLOCK_ITEM, __VA_ARGS__)
/* Begin a part that HTML folds under a summary, and that other media do not have. It
 * lasts up to tw_page_end_details(). */
#define tw_page_details(page, ...)	tw_page_add(page, TW_BLOCK_DETAILS, __VA_ARGS__)
#define tw_page_end_details(page)	tw_page_add(page, TW_BLOCK_END_DETAILS, "%s", "")
/* Add a blank line in text. Adjacent ones count as one. */
#define tw_page_gap(page)		tw_page_add(page, TW_BLOCK_GAP, "%s", "")

/* @level: 2 for a part of the page, 3 for a part of this. A blank line comes before. */
void tw_page_heading(struct tw_page *page, int level, const char *format, ...)
	TW_PRINTF(3, 4);
/* Add links to the page's headings of level 2. HTML only. */
void tw_page_contents(struct tw_page *page);
/* Add a fact: a name and its text. The texts of all facts of a page begin in one column.
 * An empty @name continues the fact before. */
void tw_page_fact(struct tw_page *page, const char *name, const char *format, ...)
	TW_PRINTF(3, 4);

/* Add to the text of the block that was added last. */
void tw_page_more(struct tw_page *page, const char *format, ...) TW_PRINTF(2, 3);
/* The same after "; ", if the block has text. A remark that gets none is not shown. */
void tw_page_also(struct tw_page *page, const char *format, ...) TW_PRINTF(2, 3);

/* For the last block: set which media show it, which is rarely needed; and set
 * where its first line and the others begin in text. */
enum tw_media { TW_IN_TEXT = 1, TW_IN_HTML = 2, TW_IN_CSV = 4 };

void tw_page_only(struct tw_page *page, unsigned media);
/* Show the blocks that follow in no other media than these. TW_IN_ALL ends this. */
#define TW_IN_ALL	(TW_IN_TEXT | TW_IN_HTML | TW_IN_CSV)
void tw_page_begin_only(struct tw_page *page, unsigned media);
/* The same, whatever tw_page_begin_only() asks for. */
void tw_page_begin_part(struct tw_page *page, unsigned media);

/* Return which media show a block so far that has @words in its text. */
unsigned tw_page_media_with(const struct tw_page *page, const char *words);

void tw_page_indent(struct tw_page *page, int first, int others);

/* Mark the last block as a verdict: its text up to the first colon, or all of
 * it. It has a colour on a terminal. */
enum tw_mark { TW_MARK_NONE, TW_MARK_GOOD, TW_MARK_BAD, TW_MARK_UNDECIDED };

void tw_page_mark(struct tw_page *page, enum tw_mark mark);

/* Add a table, which is described below. */
struct tw_column;
struct tw_table *tw_page_table(struct tw_page *page, const struct tw_column *columns,
			       size_t count);

/* ---- numbers ------------------------------------------------------------- */

/* Lines are broken before this column. */
#define TW_PAGE_COLUMNS	79

/* Room for any formatted number. */
#define TW_FORMAT_SIZE	32

/* The unit that suits a time, and the decimals that give it four significant
 * digits. */
struct tw_format_unit {
	double ns;
	const char *name;
	int decimals;
} tw_format_unit(double ns);

/* Write four significant digits to @text, of TW_FORMAT_SIZE bytes, and return it:
 * "1.235 us", whole nanoseconds below 1000 without decimals; "37195", "12.35", "0.012";
 * the same with a sign, also for positive values. */
const char *tw_format_ns(char *text, double ns);
const char *tw_format_number(char *text, double value);
/* Write a size in the largest binary unit, with a decimal if it is small and not whole. */
const char *tw_format_bytes(char *text, double bytes);

/* The same as tw_format_ns() for a time that somebody set: "4 s"; for an error: "+-1.3 us". */
const char *tw_format_round(char *text, double ns);
const char *tw_format_error(char *text, double ns);
const char *tw_format_signed(char *text, double value);
/* Write two significant digits, or all before the point: "0.25 %", "120 %". */
const char *tw_format_percent(char *text, double percent);

/* The same as an argument. The text lasts until the end of the block. */
#define TW_SAY_BYTES(bytes)	tw_format_bytes((char[TW_FORMAT_SIZE]) { 0 }, (double)(bytes))
#define TW_SAY_NS(ns)		tw_format_ns((char[TW_FORMAT_SIZE]) { 0 }, (double)(ns))
#define TW_SAY_ROUND(ns)	tw_format_round((char[TW_FORMAT_SIZE]) { 0 }, (double)(ns))
#define TW_SAY_ERROR(ns)	tw_format_error((char[TW_FORMAT_SIZE]) { 0 }, (double)(ns))
#define TW_SAY_NUMBER(value)	tw_format_number((char[TW_FORMAT_SIZE]) { 0 }, value)
#define TW_SAY_SIGNED(value)	tw_format_signed((char[TW_FORMAT_SIZE]) { 0 }, value)
#define TW_SAY_PERCENT(percent)	tw_format_percent((char[TW_FORMAT_SIZE]) { 0 }, percent)

/* Return the ending of a noun after @count: "" for one, else "s". */
const char *tw_format_plural(uint64_t count);

/* ---- tables -------------------------------------------------------------- */

/* The columns of a table are described once, for all media. Cells are values, and each
 * writer formats them: 1235 ns are "1.235 us" in text and HTML, and 1235 in CSV. */
enum tw_column_flags {
	TW_COLUMN_LEFT = 1,	/* else aligned to the right */
	TW_COLUMN_NARROW = 2,	/* "1.235us" in text */
	TW_COLUMN_BELOW = 4,	/* in text on a line of its own below the row */
	TW_COLUMN_QUOTED = 8,	/* in CSV always a quoted text, also for "0x10" */
};

struct tw_column {
	const char *heading;
	const char *group;	/* a heading above this column and its
				 * neighbours of the same group; or NULL */
	const char *key;	/* in CSV; NULL: the heading */
	int width;		/* in text: the minimum; with TW_COLUMN_BELOW:
				 * the indent */
	unsigned flags;		/* enum tw_column_flags */
	unsigned media;		/* enum tw_media that show it; 0: all */
};

/* Cut the lines of the table in text at this column. */
void tw_table_cut(struct tw_table *table, int column);

/* Print at most @rows rows in text, then a line with the number of other rows
 * and @where they are, such as "--json". */
void tw_table_limit(struct tw_table *table, size_t rows, const char *where);

/* Begin a row. Its cells follow in the order of the columns; missing cells are
 * empty. */
void tw_table_row(struct tw_table *table);
/* Add a row with one text over all columns. CSV does not have it. */
void tw_table_span(struct tw_table *table, const char *format, ...) TW_PRINTF(2, 3);

enum tw_cell_kind {
	TW_CELL_EMPTY,
	TW_CELL_NONE,
	TW_CELL_TEXT,
	TW_CELL_STRONG,
	TW_CELL_WHOLE,
	TW_CELL_TIME,		/* with a unit that the caller chose */
	TW_CELL_NS,
	TW_CELL_NUMBER,
	TW_CELL_SIGNED,
	TW_CELL_FIXED,
	TW_CELL_PERCENT,
};

void tw_cell_add_text(struct tw_table *table, enum tw_cell_kind kind, const char *text);
#define tw_cell_text(table, text)	tw_cell_add_text(table, TW_CELL_TEXT, text)
/* Bold in HTML. */
#define tw_cell_strong(table, text)	tw_cell_add_text(table, TW_CELL_STRONG, text)
/* Add "-" for an unknown value; nothing in CSV. */
#define tw_cell_none(table)		tw_cell_add_text(table, TW_CELL_NONE, "-")
void tw_cell_format(struct tw_table *table, enum tw_cell_kind kind, const char *format, ...)
	TW_PRINTF(3, 4);
#define tw_cell_printf(table, ...)	tw_cell_format(table, TW_CELL_TEXT, __VA_ARGS__)
#define tw_cell_u64(table, value) \
	tw_cell_format(table, TW_CELL_WHOLE, "%" PRIu64, (uint64_t)(value))
#define tw_cell_i64(table, value) \
	tw_cell_format(table, TW_CELL_WHOLE, "%" PRId64, (int64_t)(value))
void tw_cell_real(struct tw_table *table, enum tw_cell_kind kind, double value,
		  int decimals);
/* As the functions above write them. CSV has all digits. */
#define tw_cell_ns(table, ns)		tw_cell_real(table, TW_CELL_NS, ns, 0)
#define tw_cell_number(table, value)	tw_cell_real(table, TW_CELL_NUMBER, value, 0)
#define tw_cell_signed(table, value)	tw_cell_real(table, TW_CELL_SIGNED, value, 0)
#define tw_cell_fixed(table, value, decimals) \
	tw_cell_real(table, TW_CELL_FIXED, value, decimals)
/* The same, and for JSON: if the value is not above 0, it is not known. */
void tw_cell_known(struct tw_table *table, double value, int decimals);
json_t *tw_json_known(double value);
/* "37 %"; the value is 37. */
#define tw_cell_percent(table, value, decimals) \
	tw_cell_real(table, TW_CELL_PERCENT, value, decimals)

/* ---- plots --------------------------------------------------------------- */

/* HTML draws a plot; tables have most of its numbers. Axes are as long as the data need. */
struct tw_series;

enum tw_plot_unit {
	TW_PLOT_NUMBER,		/* from 0 on; "20 k" */
	TW_PLOT_NS,		/* logarithmic; "10 us" */
	TW_PLOT_BYTES,		/* logarithmic; "64K" */
	TW_PLOT_TAIL,		/* 1 / (1 - part), logarithmic; "99.9" */
	TW_PLOT_TIME,		/* seconds from 0 to the last point; "20 min" */
};

/* Number of colours in the style. Lines and marks of these are visible in light
 * and dark. */
#define TW_PLOT_COLORS	16
/* Three that go together: mean, p99, maximum. */
#define TW_PLOT_MEAN	20
#define TW_PLOT_P99	21
#define TW_PLOT_MAX	22

/* All texts of these are literals, or live as long as the page. */
struct tw_plot_about {
	const char *title;
	struct {
		enum tw_plot_unit unit;
		const char *label;
	} x, y;
	double reaches_x;		/* the axis of x goes on to here; 0: no further */
	int has_same_scale;		/* 1: of all bars of parts: the largest total is as
					 * wide as the plot */
};

struct tw_plot *tw_page_add_plot(struct tw_page *page, const struct tw_plot_about *about);
#define tw_page_plot(page, ...) \
	tw_page_add_plot(page, &(struct tw_plot_about) { __VA_ARGS__ })

/* Set the text below the plot. */
void tw_plot_caption(struct tw_plot *plot, const char *caption);
/* Add a vertical line with a name. */
void tw_plot_border(struct tw_plot *plot, double x, const char *name);

/* Add a line; the first line is drawn on top. @name is for the legend; NULL:
 * the line is not in it. Never returns NULL. */
struct tw_series *tw_plot_line(struct tw_plot *plot, const char *name, int color);
void tw_plot_point(struct tw_series *series, double x, double y);
/* Add a point with a lower and an upper end: the line becomes an area below the others. */
void tw_plot_band_point(struct tw_series *band, double x, double low, double high);

/* Add a dot, which can be off the line. @tag: a text that is always visible, if there is
 * room; or NULL. @format: the dot's title. */
void tw_plot_tag(struct tw_series *series, double x, double y, const char *tag,
		 const char *format, ...) TW_PRINTF(5, 6);

/* Add a bar in a row of its own, as wide as the plot, which is divided into
 * parts. Its name is above it. A plot with such bars has no other data. The
 * legend has the parts. */
struct tw_series *tw_plot_stack(struct tw_plot *plot, const char *format, ...)
	TW_PRINTF(2, 3);
void tw_plot_part(struct tw_series *stack, const char *name, int color, double size);

/* ---- writers ------------------------------------------------------------- */

/* Check the file for write errors. */

/* Write the page as text for a terminal, 79 columns wide. Only tables can be wider. */
void tw_output_text(const struct tw_page *page, FILE *file);

/* Write the page as one file of HTML that needs no script, no other file and no
 * network; its policy forbids them all. The file is well-formed XML, too. */
void tw_output_html(const struct tw_page *page, FILE *file);

/* Write a table by RFC 4180, but with a newline alone at the end of a line. */
void tw_output_csv(const struct tw_table *table, FILE *file);

/* Write and release @root, and end the line. @flags are jansson's: JSON_INDENT(2). */
void tw_output_json(json_t *root, FILE *file, size_t flags);

/* ---- the terminal ---------------------------------------------------------- */

/* Return the number of columns; 0: this is no terminal, or its width is not
 * known. */
int tw_terminal_columns(FILE *file);

/* Can the output have colours? NO_COLOR and a TERM of "dumb" forbid them. */
int tw_terminal_has_colours(FILE *file);

struct tw_progress {
	const char *command;
	int is_wanted;
	int is_log;			/* 1: no terminal; a line stays, and is printed seldom */
	int is_shown;			/* 1: there is a line to be erased */
	uint64_t begin_ns, shown_ns;	/* CLOCK_MONOTONIC */
};

/* Print no progress from now on. */
void tw_progress_forbid(void);

/* Begin to measure progress of @command. It is printed if stderr is a terminal. */
struct tw_progress tw_progress_begin(const char *command);
/* The same for what takes a minute, elsewhere, too. */
struct tw_progress tw_progress_begin_long(const char *command);
/* Show progress. @done is a part of the whole, 0 to 1. It may be called often:
 * a line appears only if the whole takes over two seconds, and not more often
 * than can be read. */
void tw_progress_show(struct tw_progress *progress, double done, const char *format, ...)
	TW_PRINTF(3, 4);
/* Erase the line on a terminal. */
void tw_progress_end(struct tw_progress *progress);

#endif
