/* SPDX-License-Identifier: MIT */
/*
 * Tables of a page, and the text of their values.
 */
#include "command/output/page.h"

#include <inttypes.h>
#include <stdio.h>

#include "command/output/model.h"

int tw_column_shown(const struct tw_column *column, unsigned medium)
{
	return !column->media || column->media & medium;
}

void tw_table_cut(struct tw_table *table, int column)
{
	table->cut = column;
}

void tw_table_limit(struct tw_table *table, size_t rows, const char *where)
{
	table->most = rows;
	table->rest_where = tw_page_keep(table->page, where);
}

/* ---- rows ---------------------------------------------------------------- */

static void add_row(struct tw_table *table, size_t cells, const char *span)
{
	struct tw_row *row = tw_page_take(table->page, sizeof(*row) +
					  cells * sizeof(row->cells[0]));

	row->span = span;
	*table->end = row;
	table->end = &row->next;
	table->last = row;
}

void tw_table_row(struct tw_table *table)
{
	add_row(table, table->count, NULL);
}

void tw_table_span(struct tw_table *table, const char *format, ...)
{
	const char *text;
	va_list args;

	va_start(args, format);
	text = tw_page_format(table->page, format, args);
	va_end(args);
	add_row(table, 0, text);
}

static void add_cell(struct tw_table *table, struct tw_cell cell)
{
	struct tw_row *row = table->last;

	if (row->used < table->count)
		row->cells[row->used++] = cell;
}

void tw_cell_text(struct tw_table *table, const char *text)
{
	add_cell(table, (struct tw_cell) { .kind = TW_CELL_TEXT,
		 .text = tw_page_keep(table->page, text) });
}

void tw_cell_printf(struct tw_table *table, const char *format, ...)
{
	const char *text;
	va_list args;

	va_start(args, format);
	text = tw_page_format(table->page, format, args);
	va_end(args);
	add_cell(table, (struct tw_cell) { .kind = TW_CELL_TEXT, .text = text });
}

void tw_cell_strong(struct tw_table *table, const char *text)
{
	add_cell(table, (struct tw_cell) { .kind = TW_CELL_STRONG,
		 .text = tw_page_keep(table->page, text) });
}

void tw_cell_u64(struct tw_table *table, uint64_t value)
{
	add_cell(table, (struct tw_cell) { .kind = TW_CELL_U64, .u64 = value });
}

void tw_cell_i64(struct tw_table *table, int64_t value)
{
	add_cell(table, (struct tw_cell) { .kind = TW_CELL_I64, .i64 = value });
}

void tw_cell_ns(struct tw_table *table, double ns)
{
	add_cell(table, (struct tw_cell) { .kind = TW_CELL_NS, .real = ns });
}

void tw_cell_number(struct tw_table *table, double value)
{
	add_cell(table, (struct tw_cell) { .kind = TW_CELL_NUMBER, .real = value });
}

void tw_cell_signed(struct tw_table *table, double value)
{
	add_cell(table, (struct tw_cell) { .kind = TW_CELL_SIGNED, .real = value });
}

void tw_cell_fixed(struct tw_table *table, double value, int decimals)
{
	add_cell(table, (struct tw_cell) { .kind = TW_CELL_FIXED, .real = value,
		 .decimals = decimals });
}

void tw_cell_percent(struct tw_table *table, double value, int decimals)
{
	add_cell(table, (struct tw_cell) { .kind = TW_CELL_PERCENT, .real = value,
		 .decimals = decimals });
}

void tw_cell_none(struct tw_table *table)
{
	add_cell(table, (struct tw_cell) { .kind = TW_CELL_NONE });
}

/* ---- for people ---------------------------------------------------------- */

const char *tw_cell_form(const struct tw_cell *cell, char *room)
{
	room[0] = '\0';
	switch (cell->kind) {
	case TW_CELL_EMPTY:
		break;
	case TW_CELL_NONE:
		return "-";
	case TW_CELL_TEXT:
	case TW_CELL_STRONG:
		return cell->text;
	case TW_CELL_U64:
		snprintf(room, TW_FORMAT_SIZE, "%" PRIu64, cell->u64);
		break;
	case TW_CELL_I64:
		snprintf(room, TW_FORMAT_SIZE, "%" PRId64, cell->i64);
		break;
	case TW_CELL_NS:
		return tw_format_ns(room, cell->real);
	case TW_CELL_NUMBER:
		return tw_format_number(room, cell->real);
	case TW_CELL_SIGNED:
		return tw_format_signed(room, cell->real);
	case TW_CELL_FIXED:
		snprintf(room, TW_FORMAT_SIZE, "%.*f", cell->decimals, cell->real);
		break;
	case TW_CELL_PERCENT:
		snprintf(room, TW_FORMAT_SIZE, "%.*f %%", cell->decimals, cell->real);
		break;
	}
	return room;
}
