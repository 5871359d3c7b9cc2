/* SPDX-License-Identifier: MIT */
/*
 * Builds the model of a page: its blocks, tables and plots. Formats numbers. See page.h.
 */
#include "command/output/page.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/allocate.h"
#include "base/plain_text.h"
#include "command/output/model.h"

void tw_page_free(struct tw_page *page)
{
	struct tw_piece *pieces = page->pieces;

	tw_release_pieces(&pieces);
}

/* Return zeroed memory that lives as long as the page. */
static void *take(struct tw_page *page, size_t size)
{
	return tw_take_piece(&page->pieces, size);
}

/* Return a copy without unsafe characters. */
static const char *keep(struct tw_page *page, const char *text)
{
	return tw_plain_text(strcpy(take(page, strlen(text) + 1), text));
}

/* The same for what the arguments of the function after @format make. */
#define KEEP_FORMATTED(page) __extension__ ({						\
	char *text_;									\
	va_list args_;									\
											\
	va_start(args_, format);							\
	text_ = tw_plain_text(tw_format_piece(&(page)->pieces, format, args_));		\
	va_end(args_);									\
	text_;										\
})

struct tw_page *tw_page_new(const char *title)
{
	struct tw_piece *pieces = NULL;
	struct tw_page *page = tw_take_piece(&pieces, sizeof(*page));

	page->pieces = pieces;
	page->end = &page->blocks;
	page->media = page->part = TW_IN_ALL;
	page->title = keep(page, title);
	return page;
}

/* ---- blocks -------------------------------------------------------------- */

static struct tw_block *add(struct tw_page *page, enum tw_block_kind kind, const char *text)
{
	static const struct {
		int first, others;
	} indents[] = {
		[TW_BLOCK_HEADING] = { 0, 2 }, [TW_BLOCK_PARAGRAPH] = { 0, 2 },
		[TW_BLOCK_REMARK] = { 2, 4 }, [TW_BLOCK_WARNING] = { 0, 4 },
		[TW_BLOCK_ITEM] = { 2, 4 }, [TW_BLOCK_PLOT] = { 0, 0 },
	};
	struct tw_block *block = take(page, sizeof(*block));

	*block = (struct tw_block) {
		.kind = kind, .text = text, .media = page->media,
		.first = indents[kind].first, .others = indents[kind].others,
	};
	page->last = block;
	*page->end = block;
	page->end = &block->next;
	return block;
}

void tw_page_add(struct tw_page *page, enum tw_block_kind kind, const char *format, ...)
{
	add(page, kind, KEEP_FORMATTED(page));
}

void tw_page_heading(struct tw_page *page, int level, const char *format, ...)
{
	add(page, TW_BLOCK_HEADING, KEEP_FORMATTED(page))->level = level;
}

void tw_page_contents(struct tw_page *page)
{
	add(page, TW_BLOCK_CONTENTS, "");
	tw_page_only(page, TW_IN_HTML);
}

void tw_page_fact(struct tw_page *page, const char *name, const char *format, ...)
{
	add(page, TW_BLOCK_FACT, KEEP_FORMATTED(page))->name = keep(page, name);
}

void tw_page_more(struct tw_page *page, const char *format, ...)
{
	struct tw_block *block = page->last;
	const char *more = KEEP_FORMATTED(page);
	char *text = take(page, strlen(block->text) + strlen(more) + 1);

	block->text = strcat(strcpy(text, block->text), more);
}

void tw_page_also(struct tw_page *page, const char *format, ...)
{
	const char *more = KEEP_FORMATTED(page);

	tw_page_more(page, "%s%s", *page->last->text ? "; " : "", more);
}

void tw_page_only(struct tw_page *page, unsigned media)
{
	page->last->media = media & page->media;
}

unsigned tw_page_media_with(const struct tw_page *page, const char *words)
{
	unsigned media = 0;

	for (const struct tw_block *block = page->blocks; block; block = block->next)
		if (block->text && strstr(block->text, words))
			media |= block->media;
	return media;
}

void tw_page_begin_only(struct tw_page *page, unsigned media)
{
	page->media = media & page->part;
}

void tw_page_begin_part(struct tw_page *page, unsigned media)
{
	page->media = page->part = media;
}

void tw_page_indent(struct tw_page *page, int first, int others)
{
	page->last->first = first;
	page->last->others = others;
}

void tw_page_mark(struct tw_page *page, enum tw_mark mark)
{
	page->last->mark = mark;
}

/* ---- tables -------------------------------------------------------------- */

struct tw_table *tw_page_table(struct tw_page *page, const struct tw_column *columns,
			       size_t count)
{
	struct tw_table *table = take(page, sizeof(*table));
	struct tw_column *own = take(page, count * sizeof(*own));

	for (size_t i = 0; i < count; i++) {
		own[i] = columns[i];
		own[i].heading = keep(page, columns[i].heading);
		if (columns[i].group)
			own[i].group = keep(page, columns[i].group);
	}
	*table = (struct tw_table) {
		.page = page, .columns = own, .count = count, .end = &table->rows,
	};
	add(page, TW_BLOCK_TABLE, "")->table = table;
	return table;
}

void tw_table_cut(struct tw_table *table, int column)
{
	table->cut = column;
}

void tw_table_limit(struct tw_table *table, size_t rows, const char *where)
{
	table->most = rows;
	table->rest_where = keep(table->page, where);
}

static void add_row(struct tw_table *table, size_t cells, const char *span)
{
	struct tw_row *row = take(table->page, sizeof(*row) + cells * sizeof(row->cells[0]));

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
	add_row(table, 0, KEEP_FORMATTED(table->page));
}

static void add_cell(struct tw_table *table, struct tw_cell cell)
{
	struct tw_row *row = table->last;

	if (row->used < table->count)
		row->cells[row->used++] = cell;
}

void tw_cell_format(struct tw_table *table, enum tw_cell_kind kind, const char *format, ...)
{
	add_cell(table, (struct tw_cell) {
		.kind = kind, .text = KEEP_FORMATTED(table->page) });
}

void tw_cell_add_text(struct tw_table *table, enum tw_cell_kind kind, const char *text)
{
	add_cell(table, (struct tw_cell) { .kind = kind, .text = keep(table->page, text) });
}

void tw_cell_real(struct tw_table *table, enum tw_cell_kind kind, double value,
		  int decimals)
{
	add_cell(table, (struct tw_cell) {
		.kind = kind, .real = value, .decimals = decimals });
}

void tw_cell_known(struct tw_table *table, double value, int decimals)
{
	if (value > 0)
		tw_cell_fixed(table, value, decimals);
	else
		tw_cell_none(table);
}

json_t *tw_json_known(double value)
{
	return value > 0 ? json_real(value) : json_null();
}

const char *tw_cell_form(const struct tw_cell *cell, char *room)
{
	room[0] = '\0';
	switch (cell->kind) {
	case TW_CELL_EMPTY:
		break;
	case TW_CELL_NONE:
	case TW_CELL_TEXT:
	case TW_CELL_STRONG:
	case TW_CELL_WHOLE:
		return cell->text;
	case TW_CELL_NS:
		return tw_format_ns(room, cell->real);
	case TW_CELL_TIME:
		snprintf(room, TW_FORMAT_SIZE, "%s", cell->text);
		break;
	case TW_CELL_NUMBER:
		return tw_format_number(room, cell->real);
	case TW_CELL_SIGNED:
		return tw_format_signed(room, cell->real);
	case TW_CELL_FIXED:
	case TW_CELL_PERCENT:
		snprintf(room, TW_FORMAT_SIZE, "%.*f%s", cell->decimals, cell->real,
			 cell->kind == TW_CELL_PERCENT ? " %" : "");
		break;
	}
	return room;
}

/* ---- plots --------------------------------------------------------------- */

struct tw_plot *tw_page_add_plot(struct tw_page *page, const struct tw_plot_about *about)
{
	struct tw_plot *plot = take(page, sizeof(*plot));
	struct tw_block *block = add(page, TW_BLOCK_PLOT, "");

	*plot = (struct tw_plot) {
		.page = page, .about = *about, .caption = "",
		.end = &plot->series, .last_border = &plot->borders,
	};
	plot->about.x.label = about->x.label ? about->x.label : "";
	plot->about.y.label = about->y.label ? about->y.label : "";
	tw_page_only(page, TW_IN_HTML);
	block->plot = plot;
	return plot;
}

void tw_plot_caption(struct tw_plot *plot, const char *caption)
{
	plot->caption = keep(plot->page, caption);
}

void tw_plot_border(struct tw_plot *plot, double x, const char *name)
{
	struct tw_border *border = take(plot->page, sizeof(*border));

	border->x = x;
	border->name = keep(plot->page, name);
	*plot->last_border = border;
	plot->last_border = &border->next;
}

struct tw_series *tw_plot_line(struct tw_plot *plot, const char *name, int color)
{
	struct tw_series *series = take(plot->page, sizeof(*series));

	*series = (struct tw_series) {
		.page = plot->page, .color = color, .end = &series->points,
		.name = name ? keep(plot->page, name) : NULL,
		.last_part = &series->parts,
	};
	*plot->end = series;
	plot->end = &series->next;
	return series;
}

static void add_dot(struct tw_series *series, struct tw_dot is)
{
	struct tw_dot *dot = take(series->page, sizeof(*dot));

	*dot = is;
	*series->end = dot;
	series->end = &dot->next;
}

void tw_plot_band_point(struct tw_series *band, double x, double low, double high)
{
	band->is_band = 1;
	add_dot(band, (struct tw_dot) { .x = x, .y = low, .high = high });
}

void tw_plot_point(struct tw_series *series, double x, double y)
{
	series->has_line = 1;
	add_dot(series, (struct tw_dot) { .x = x, .y = y, .high = y });
}

void tw_plot_tag(struct tw_series *series, double x, double y, const char *tag,
		 const char *format, ...)
{
	add_dot(series, (struct tw_dot) {
		.x = x, .y = y, .high = y, .text = KEEP_FORMATTED(series->page),
		.tag = tag ? keep(series->page, tag) : NULL,
	});
}

struct tw_series *tw_plot_stack(struct tw_plot *plot, const char *format, ...)
{
	struct tw_series *series = tw_plot_line(plot, NULL, 0);

	series->name = KEEP_FORMATTED(plot->page);
	plot->has_stacks = 1;
	return series;
}

void tw_plot_part(struct tw_series *stack, const char *name, int color, double size)
{
	struct tw_part *part = take(stack->page, sizeof(*part));

	*part = (struct tw_part) {
		.name = keep(stack->page, name), .color = color, .size = size,
	};
	*stack->last_part = part;
	stack->last_part = &part->next;
}

/* ---- numbers -------------------------------------------------------------- */

/* A unit is used up to @most of it. Above, rounding would show 1000. */
static const struct unit {
	double ns;
	double most;
	const char *name;
} units[] = {
	{ 1, 999.95, "ns" },
	{ 1e3, 999.95, "us" },
	{ 1e6, 999.95, "ms" },
	{ 1e9, 9999.5, "s" },
	{ 3600e9, 9999.5, "h" },
	{ 365.25 * 86400e9, HUGE_VAL, "y" },
};

/* Return the decimals that give four significant digits to a value below
 * 10^4. */
static int decimals_of(double value)
{
	if (value < 9.9995)
		return 3;
	if (value < 99.995)
		return 2;
	return value < 999.95;
}

struct tw_format_unit tw_format_unit(double ns)
{
	const struct unit *unit = units;

	while (fabs(ns) >= unit->most * unit->ns && unit->most < HUGE_VAL)
		unit++;
	return (struct tw_format_unit) {
		.ns = unit->ns,
		.name = unit->name,
		.decimals = decimals_of(fabs(ns) / unit->ns),
	};
}

const char *tw_format_bytes(char *text, double bytes)
{
	static const char *const names[] = { "bytes", "KiB", "MiB", "GiB", "TiB", "PiB" };
	size_t unit = 0;

	for (; bytes >= 1024 && unit + 1 < TW_LENGTH(names); unit++)
		bytes /= 1024;
	snprintf(text, TW_FORMAT_SIZE, "%.*f %s", unit && bytes < 100 && bytes > floor(bytes),
		 bytes, names[unit]);
	return text;
}

const char *tw_format_ns(char *text, double ns)
{
	struct tw_format_unit unit = tw_format_unit(ns);
	double value = ns / unit.ns;

	if (unit.ns == units[0].ns && value == floor(value))
		unit.decimals = 0;
	snprintf(text, TW_FORMAT_SIZE, "%.*f %s", unit.decimals, value,
		 unit.name);
	return text;
}

const char *tw_format_round(char *text, double ns)
{
	struct tw_format_unit unit = tw_format_unit(ns);
	double digits = round(ns / unit.ns * pow(10, unit.decimals));

	for (; unit.decimals && fmod(digits, 10) == 0; unit.decimals--)
		digits /= 10;
	snprintf(text, TW_FORMAT_SIZE, "%.*f %s", unit.decimals, ns / unit.ns, unit.name);
	return text;
}

const char *tw_format_error(char *text, double ns)
{
	struct tw_format_unit unit = tw_format_unit(ns);

	snprintf(text, TW_FORMAT_SIZE, "+-%.*f %s", unit.decimals > 2 ? unit.decimals - 2 : 0,
		 ns / unit.ns, unit.name);
	return text;
}

const char *tw_format_percent(char *text, double percent)
{
	const double size = fabs(percent);

	/* "%g" has an exponent below and above. */
	snprintf(text, TW_FORMAT_SIZE, size >= 99.5 ? "%.0f %%" : "%.2g %%",
		 size < 1e-4 ? 0 : percent);
	return text;
}

const char *tw_format_number(char *text, double value)
{
	double size = fabs(value);

	if (size >= 1e10)
		snprintf(text, TW_FORMAT_SIZE, "%.3e", value);
	else
		snprintf(text, TW_FORMAT_SIZE, "%.*f", decimals_of(size),
			 value);
	return text;
}

const char *tw_format_signed(char *text, double value)
{
	text[0] = value < 0 ? '-' : '+';
	snprintf(text + 1, TW_FORMAT_SIZE - 1, "%s",
		 TW_SAY_NUMBER(fabs(value)));
	return text;
}

const char *tw_format_plural(uint64_t count)
{
	return count == 1 ? "" : "s";
}
