/* SPDX-License-Identifier: MIT */
/*
 * Writes what programs read: a table as CSV, a tree of JSON.
 */
#include <string.h>

#include "base/allocate.h"
#include "command/output/model.h"

static void put_text(FILE *file, const char *text, int quoted)
{
	if (!quoted && !strpbrk(text, ",\"")) {
		fputs(text, file);
		return;
	}
	putc('"', file);
	for (; *text; text++) {
		if (*text == '"')
			putc('"', file);
		putc(*text, file);
	}
	putc('"', file);
}

static void put_cell(FILE *file, const struct tw_cell *cell, int quoted)
{
	char room[TW_FORMAT_SIZE];

	switch (cell->kind) {
	case TW_CELL_NONE:
		break;
	case TW_CELL_NS:
	case TW_CELL_NUMBER:
	case TW_CELL_SIGNED:
		fprintf(file, "%.15g", cell->real);
		break;
	case TW_CELL_PERCENT:
		fprintf(file, "%.*f", cell->decimals, cell->real);
		break;
	default:
		put_text(file, tw_cell_form(cell, room), quoted);
		break;
	}
}

/* @row: NULL for the names of the columns. */
static void put_line(FILE *file, const struct tw_table *table, const struct tw_row *row)
{
	const char *before = "";

	for (size_t i = 0; i < table->count; i++) {
		const struct tw_column *column = &table->columns[i];

		if (!tw_is_shown(column->media, TW_IN_CSV))
			continue;
		fputs(before, file);
		before = ",";
		if (row)
			put_cell(file, &row->cells[i], column->flags & TW_COLUMN_QUOTED);
		else
			put_text(file, column->key ? column->key : column->heading, 0);
	}
	putc('\n', file);
}

void tw_output_csv(const struct tw_table *table, FILE *file)
{
	put_line(file, table, NULL);
	for (const struct tw_row *row = table->rows; row; row = row->next)
		if (!row->span)
			put_line(file, table, row);
}

void tw_output_json(json_t *root, FILE *file, size_t flags)
{
	if (json_dumpf(root, file, flags) && !ferror(file))
		tw_no_memory();
	json_decref(root);
	putc('\n', file);
}
