/* SPDX-License-Identifier: MIT */
/*
 * A table of a page. Its columns are described once, for all media. Cells are
 * values, and each writer formats them: 1235 ns are "1.235 us" in text and
 * HTML, and 1235 in CSV.
 */
#ifndef TW_OUTPUT_TABLE_H
#define TW_OUTPUT_TABLE_H

#include <stdint.h>

#include "command/output/page.h"

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

void tw_cell_text(struct tw_table *table, const char *text);
void tw_cell_printf(struct tw_table *table, const char *format, ...) TW_PRINTF(2, 3);
/* Bold in HTML. */
void tw_cell_strong(struct tw_table *table, const char *text);
void tw_cell_u64(struct tw_table *table, uint64_t value);
void tw_cell_i64(struct tw_table *table, int64_t value);
/* format.h describes the form of these three. CSV has all digits. */
void tw_cell_ns(struct tw_table *table, double ns);
void tw_cell_number(struct tw_table *table, double value);
void tw_cell_signed(struct tw_table *table, double value);
void tw_cell_fixed(struct tw_table *table, double value, int decimals);
/* "37 %"; @value is 37. */
void tw_cell_percent(struct tw_table *table, double value, int decimals);
/* Add "-" for an unknown value; nothing in CSV. */
void tw_cell_none(struct tw_table *table);

#endif
