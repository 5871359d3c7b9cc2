/* SPDX-License-Identifier: MIT */
/*
 * Writes a page as text, and data for programs: a table as CSV, a tree of JSON. See page.h.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "base/plain_text.h"
#include "command/output/model.h"

#define MIN_COLUMNS	30

/* Codes of ECMA-48. */
#define TW_RED		"\033[31m"
#define TW_GREEN	"\033[32m"
#define TW_YELLOW	"\033[33m"
#define TW_NO_COLOUR	"\033[0m"

/* Return the number of columns. Bytes that continue a character take none. */
static int columns_of(const char *text, size_t length)
{
	int columns = 0;

	for (size_t i = 0; i < length; i++)
		columns += (text[i] & 0xc0) != 0x80;
	return columns;
}

static int width_of(const char *text)
{
	return columns_of(text, strlen(text));
}

/* For the page that is written now: the width of its lines, and the colour of
 * the next words; NULL: none. */
static int columns_of_page = TW_PAGE_COLUMNS, has_colours;
static const char *colour;

static void put_word(FILE *file, const char *text, size_t length)
{
	if (colour)
		fputs(colour, file);
	fwrite(text, 1, length, file);
	if (colour)
		fputs(TW_NO_COLOUR, file);
	/* A verdict ends at a colon. */
	if (length && text[length - 1] == ':')
		colour = NULL;
}

/* Return whether a word of @length at @text is a unit, with or without punctuation. */
static int is_unit(const char *text, size_t length)
{
	static const char *const units[] = { "%", "ns", "us", "ms", "s", "ppb", "ppm" };

	while (length && strchr(",;:.)", text[length - 1]))
		length--;
	for (size_t i = 0; i < TW_LENGTH(units); i++)
		if (strlen(units[i]) == length && strncmp(units[i], text, length) == 0)
			return 1;
	return 0;
}

/* Return the length of the word at @text: a number and its unit are one word. */
static size_t word_length(const char *text)
{
	size_t length = strcspn(text, " "), after;

	if (!length || text[length] != ' ' || !isdigit((unsigned char)text[length - 1]))
		return length;
	after = strcspn(text + length + 1, " ");
	return is_unit(text + length + 1, after) ? length + 1 + after : length;
}

/* Write words, with line breaks. The line has reached @column; further lines
 * begin at @indent. */
static void put_words(FILE *file, const char *text, int column, int indent)
{
	int words = 0;

	while (*(text += strspn(text, " "))) {
		size_t length = word_length(text);
		int columns = columns_of(text, length);

		if (words && column + 1 + columns > columns_of_page) {
			fprintf(file, "\n%*s", indent, "");
			column = indent;
		} else if (words) {
			putc(' ', file);
			column++;
		}
		put_word(file, text, length);
		column += columns;
		words = 1;
		text += length;
	}
	putc('\n', file);
}

/* ---- tables -------------------------------------------------------------- */

#define MAX_COLUMNS	64

/* One line, which does not end in blanks. */
struct line {
	FILE *file;
	int column;
	int blanks;			/* to write before the next character */
	int edge;			/* nothing is written beyond; 0: no limit */
};

static void put(struct line *line, const char *text)
{
	while (*text) {
		size_t length = tw_character_length(text);

		if (line->edge && line->column + line->blanks >= line->edge)
			return;
		if (*text == ' ') {
			line->blanks++;
		} else {
			fprintf(line->file, "%*s%.*s", line->blanks, "",
				(int)length, text);
			line->column += line->blanks + 1;
			line->blanks = 0;
		}
		text += length;
	}
}

static void put_aligned(struct line *line, const char *text, int width, int left)
{
	int blanks = width > width_of(text) ? width - width_of(text) : 0;

	line->blanks += left ? 0 : blanks;
	put(line, text);
	line->blanks += left ? blanks : 0;
}

static void end_line(struct line *line)
{
	putc('\n', line->file);
	line->column = line->blanks = 0;
}

/* The columns of a row, without those below it. */
struct layout {
	const struct tw_table *table;
	struct shown {
		const struct tw_column *is;
		size_t cell;
		int width, gap;		/* blanks before the column */
	} columns[MAX_COLUMNS];
	size_t count;
};

static const char *form(const struct tw_column *column, const struct tw_cell *cell,
			char *room)
{
	const char *text = tw_cell_form(cell, room);
	char *blank;

	if ((cell->kind != TW_CELL_NS && cell->kind != TW_CELL_TIME) || !(column->flags & TW_COLUMN_NARROW))
		return text;
	blank = strchr(room, ' ');
	if (blank)
		memmove(blank, blank + 1, strlen(blank));
	return room;
}

/* Return the end of the group that begins at a column, and set its width. */
static size_t end_of_group(const struct layout *layout, size_t from, int *width)
{
	const struct shown *columns = layout->columns;
	const char *group = columns[from].is->group;
	size_t i = from;

	*width = -columns[from].gap;
	do {
		*width += columns[i].gap + columns[i].width;
		i++;
	} while (i < layout->count && group && columns[i].is->group &&
		 strcmp(group, columns[i].is->group) == 0);
	return i;
}

static int widest(const struct tw_table *table, size_t column)
{
	const struct tw_column *is = &table->columns[column];
	int width = is->width > width_of(is->heading) ? is->width : width_of(is->heading);

	for (const struct tw_row *row = table->rows; row; row = row->next) {
		char room[TW_FORMAT_SIZE];
		int own = row->span ? 0 : width_of(form(is, &row->cells[column], room));

		width = own > width ? own : width;
	}
	return width;
}

static void lay_out(struct layout *layout, const struct tw_table *table)
{
	size_t end;
	int width, was_left = 1;

	*layout = (struct layout) { .table = table };
	for (size_t i = 0; i < table->count && layout->count < MAX_COLUMNS; i++) {
		const struct tw_column *is = &table->columns[i];
		int left = is->flags & TW_COLUMN_LEFT;

		if (!tw_is_shown(is->media, TW_IN_TEXT) || is->flags & TW_COLUMN_BELOW)
			continue;
		layout->columns[layout->count] = (struct shown) {
			is, i, widest(table, i), layout->count ? 1 + (left && !was_left) : 0,
		};
		layout->count++;
		was_left = left;
	}
	for (size_t i = 0; i < layout->count; i = end) {
		const char *group = layout->columns[i].is->group;

		end = end_of_group(layout, i, &width);
		if (group && width_of(group) > width)
			layout->columns[i].width += width_of(group) - width;
	}
}

static void put_headings(struct line *line, const struct layout *layout)
{
	const struct shown *columns = layout->columns;
	int any = 0, groups = 0, width;
	size_t end;

	for (size_t i = 0; i < layout->count; i++) {
		any |= columns[i].is->heading[0];
		groups |= columns[i].is->group != NULL;
	}
	for (size_t i = 0; i < layout->count && groups; i = end) {
		line->blanks += columns[i].gap;
		end = end_of_group(layout, i, &width);
		put_aligned(line, columns[i].is->group ? columns[i].is->group : "", width, 0);
	}
	if (groups)
		end_line(line);
	for (size_t i = 0; i < layout->count && any; i++) {
		line->blanks += columns[i].gap;
		put_aligned(line, columns[i].is->heading, columns[i].width,
			    columns[i].is->flags & TW_COLUMN_LEFT);
	}
	if (any)
		end_line(line);
}

static void put_below(FILE *file, const struct tw_table *table, const struct tw_row *row)
{
	for (size_t i = 0; i < table->count; i++) {
		const struct tw_column *column = &table->columns[i];
		char room[TW_FORMAT_SIZE];
		const char *text = form(column, &row->cells[i], room);

		if (!(column->flags & TW_COLUMN_BELOW) || !*text ||
		    !tw_is_shown(column->media, TW_IN_TEXT))
			continue;
		fprintf(file, "%*s", column->width, "");
		put_words(file, text, column->width, column->width + 2);
	}
}

static void put_row(struct line *line, const struct layout *layout, const struct tw_row *row)
{
	if (row->span)
		put(line, row->span);
	for (size_t i = 0; i < layout->count && !row->span; i++) {
		const struct shown *column = &layout->columns[i];
		char room[TW_FORMAT_SIZE];

		line->blanks += column->gap;
		put_aligned(line, form(column->is, &row->cells[column->cell], room),
			    column->width, column->is->flags & TW_COLUMN_LEFT);
	}
	end_line(line);
	if (!row->span)
		put_below(line->file, layout->table, row);
}

static void put_table(FILE *file, const struct tw_table *table)
{
	struct line line = { .file = file, .edge = table->cut };
	struct layout layout;
	size_t count = 0;

	lay_out(&layout, table);
	put_headings(&line, &layout);
	for (const struct tw_row *row = table->rows; row; row = row->next)
		if (!table->most || count++ < table->most)
			put_row(&line, &layout, row);
	if (count > table->most)
		fprintf(file, "  and %zu more (%s)\n", count - table->most,
			table->rest_where);
}

/* ---- blocks -------------------------------------------------------------- */

/* Return the next block that text shows. */
static const struct tw_block *visible(const struct tw_block *block)
{
	int folded = 0;

	for (; block; block = block->next) {
		folded += block->kind == TW_BLOCK_DETAILS;
		if (!folded && tw_block_shows(block, TW_IN_TEXT))
			return block;
		folded -= block->kind == TW_BLOCK_END_DETAILS;
	}
	return NULL;
}

static void put_block(FILE *file, const struct tw_block *block, int facts)
{
	static const char *const colours[] = {
		[TW_MARK_GOOD] = TW_GREEN, [TW_MARK_BAD] = TW_RED,
		[TW_MARK_UNDECIDED] = TW_YELLOW,
	};
	const char *begin = block->kind == TW_BLOCK_WARNING ? "WARNING:" :
			    block->kind == TW_BLOCK_ITEM ? "-" : "";
	int column = block->first + width_of(begin) + (*begin != '\0');

	colour = !has_colours ? NULL : block->kind == TW_BLOCK_WARNING ? TW_YELLOW :
		 colours[block->mark];
	if (block->table) {
		put_table(file, block->table);
	} else if (block->kind == TW_BLOCK_FACT) {
		fprintf(file, "%s%*s", block->name, facts - width_of(block->name), "");
		put_words(file, block->text, facts, facts + 2);
	} else {
		fprintf(file, "%*s", block->first, "");
		if (*begin) {
			put_word(file, begin, strlen(begin));
			putc(' ', file);
		}
		put_words(file, block->text, column, block->others);
	}
}

void tw_output_text(const struct tw_page *page, FILE *file)
{
	const int columns = tw_terminal_columns(file) - 1;
	int any = 0, gap = 0, facts = 0;	/* where the texts of facts begin */
	const struct tw_block *block;

	/* Lines are shorter than usual on a narrow terminal. */
	columns_of_page = columns < 0 || columns > TW_PAGE_COLUMNS ? TW_PAGE_COLUMNS :
			  columns < MIN_COLUMNS ? MIN_COLUMNS : columns;
	has_colours = tw_terminal_has_colours(file);
	for (block = visible(page->blocks); block; block = visible(block->next))
		if (block->kind == TW_BLOCK_FACT && width_of(block->name) + 2 > facts)
			facts = width_of(block->name) + 2;
	for (block = visible(page->blocks); block; block = visible(block->next)) {
		gap |= block->kind == TW_BLOCK_HEADING || block->kind == TW_BLOCK_GAP;
		if (block->kind == TW_BLOCK_GAP)
			continue;
		if (gap && any)
			putc('\n', file);
		gap = 0;
		any = 1;
		put_block(file, block, facts);
	}
}

/* ---- data for programs ------------------------------------------------------ */

/* Would a spreadsheet compute it? A job or a file can have any name. */
static int is_formula(const char *text)
{
	char *end;

	strtod(text, &end);
	return *text && strchr("=+-@\t\r", *text) && *end;
}

static void put_quoted(FILE *file, const char *text, int quoted)
{
	const char *mark = is_formula(text) ? "'" : "";

	if (!quoted && !strpbrk(text, ",\"")) {
		fprintf(file, "%s%s", mark, text);
		return;
	}
	fprintf(file, "\"%s", mark);
	for (; *text; text++) {
		if (*text == '"')
			putc('"', file);
		putc(*text, file);
	}
	putc('"', file);
}

static void put_value(FILE *file, const struct tw_cell *cell, int quoted)
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
		put_quoted(file, tw_cell_form(cell, room), quoted);
		break;
	}
}

/* @row: NULL for the names of the columns. */
static void put_csv_line(FILE *file, const struct tw_table *table, const struct tw_row *row)
{
	const char *before = "";

	for (size_t i = 0; i < table->count; i++) {
		const struct tw_column *column = &table->columns[i];

		if (!tw_is_shown(column->media, TW_IN_CSV))
			continue;
		fputs(before, file);
		before = ",";
		if (row)
			put_value(file, &row->cells[i], column->flags & TW_COLUMN_QUOTED);
		else
			put_quoted(file, column->key ? column->key : column->heading, 0);
	}
	putc('\n', file);
}

void tw_output_csv(const struct tw_table *table, FILE *file)
{
	put_csv_line(file, table, NULL);
	for (const struct tw_row *row = table->rows; row; row = row->next)
		if (!row->span)
			put_csv_line(file, table, row);
}

void tw_output_json(json_t *root, FILE *file, size_t flags)
{
	if (json_dumpf(root, file, flags) && !ferror(file))
		tw_no_memory();
	json_decref(root);
	putc('\n', file);
}
