/* SPDX-License-Identifier: MIT */
/*
 * What a page consists of, for the writers. All of it is in one chain of
 * allocations, which the page owns. Every string is UTF-8 without control
 * characters.
 */
#ifndef TW_OUTPUT_MODEL_H
#define TW_OUTPUT_MODEL_H

#include "command/output/page.h"

struct tw_block {
	struct tw_block *next;
	enum tw_block_kind kind;
	unsigned media;			/* enum tw_media */
	int level;			/* of a heading */
	int first, others;		/* in text: where the first line and others begin */
	enum tw_mark mark;
	const char *name;		/* of a fact */
	const char *text;
	struct tw_table *table;
	struct tw_plot *plot;
};

/* Does the medium have the block? A sentence may have got no text. */
static inline int tw_block_shows(const struct tw_block *block, enum tw_media medium)
{
	return block->media & medium && (*block->text || (block->kind != TW_BLOCK_REMARK &&
							  block->kind != TW_BLOCK_PARAGRAPH));
}

struct tw_cell {
	enum tw_cell_kind kind;
	int decimals;
	union {
		const char *text;
		double real;
	};
};

struct tw_row {
	struct tw_row *next;
	const char *span;		/* replaces the cells; or NULL */
	size_t used;
	struct tw_cell cells[];
};

struct tw_table {
	struct tw_page *page;
	struct tw_column *columns;
	size_t count;
	int cut;			/* longest line in text; 0: no limit */
	size_t most;			/* rows shown in text; 0: all */
	const char *rest_where;		/* where to find the other rows */
	struct tw_row *rows, **end, *last;
};

struct tw_dot {
	struct tw_dot *next;
	double x, y, high;		/* @high: upper end of a band */
	const char *text;		/* title of a dot; NULL: a point of the line */
	const char *tag;		/* text shown at the dot; or NULL */
};

/* A part of a divided bar. */
struct tw_part {
	struct tw_part *next;
	const char *name;
	int color;
	double size;
};

struct tw_series {
	struct tw_series *next;
	struct tw_page *page;
	const char *name;
	int color;
	struct tw_dot *points, **end;
	int is_band, has_line;
	struct tw_part *parts, **last_part;
};

struct tw_border {
	struct tw_border *next;
	double x;
	const char *name;
};

struct tw_plot {
	struct tw_page *page;
	struct tw_plot_about about;
	const char *caption;
	int has_stacks;
	struct tw_series *series, **end;
	struct tw_border *borders, **last_border;
};

struct tw_page {
	const char *title;
	struct tw_block *blocks, **end, *last;
	unsigned media;			/* that show the blocks that follow */
	unsigned part;			/* that may show them */
	struct tw_piece *pieces;
};

/* Return a cell's text for readers. A number is written to @room, of TW_FORMAT_SIZE
 * bytes. */
const char *tw_cell_form(const struct tw_cell *cell, char *room);

/* Does @medium show a column for @media? */
static inline int tw_is_shown(unsigned media, unsigned medium)
{
	return !media || media & medium;
}

#endif
