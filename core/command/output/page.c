/* SPDX-License-Identifier: MIT */
/*
 * The model of a page; see page.h.
 */
#include "command/output/page.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "command/output/model.h"
#include "base/plain_text.h"

#define EVERYWHERE	(TW_IN_TEXT | TW_IN_HTML | TW_IN_CSV)

struct tw_chunk {
	struct tw_chunk *next;
	_Alignas(max_align_t) char bytes[];
};

struct tw_page *tw_page_new(const char *title)
{
	struct tw_page *page = tw_zalloc(1, sizeof(*page));

	page->end = &page->blocks;
	page->title = tw_page_keep(page, title);
	return page;
}

void tw_page_free(struct tw_page *page)
{
	struct tw_chunk *chunk = page->chunks;

	while (chunk) {
		struct tw_chunk *next = chunk->next;

		free(chunk);
		chunk = next;
	}
	free(page);
}

void *tw_page_take(struct tw_page *page, size_t size)
{
	struct tw_chunk *chunk = tw_zalloc(1, sizeof(*chunk) + size);

	chunk->next = page->chunks;
	page->chunks = chunk;
	return chunk->bytes;
}

const char *tw_page_keep(struct tw_page *page, const char *text)
{
	return tw_plain_text(strcpy(tw_page_take(page, strlen(text) + 1), text));
}

const char *tw_page_format(struct tw_page *page, const char *format, va_list args)
{
	const char *kept;
	char *text;

	if (vasprintf(&text, format, args) < 0)
		tw_no_memory();
	kept = tw_page_keep(page, text);
	free(text);
	return kept;
}

/* ---- blocks -------------------------------------------------------------- */

static struct tw_block *add(struct tw_page *page, enum tw_block_kind kind)
{
	struct tw_block *block = tw_page_take(page, sizeof(*block));

	page->last = block;
	block->kind = kind;
	block->media = EVERYWHERE;
	block->text = "";
	*page->end = block;
	page->end = &block->next;
	return block;
}

static void add_text(struct tw_page *page, enum tw_block_kind kind, int first, int others,
		     const char *format, va_list args)
{
	const char *text = tw_page_format(page, format, args);
	struct tw_block *block = add(page, kind);

	block->text = text;
	block->first = first;
	block->others = others;
}

#define ADD_TEXT(kind, first, others) do { \
	va_list args; \
	va_start(args, format); \
	add_text(page, kind, first, others, format, args); \
	va_end(args); \
} while (0)

void tw_page_heading(struct tw_page *page, int level, const char *format, ...)
{
	ADD_TEXT(TW_BLOCK_HEADING, 0, 2);
	page->last->level = level;
}

void tw_page_contents(struct tw_page *page)
{
	add(page, TW_BLOCK_CONTENTS);
	tw_page_only(page, TW_IN_HTML);
}

void tw_page_paragraph(struct tw_page *page, const char *format, ...)
{
	ADD_TEXT(TW_BLOCK_PARAGRAPH, 0, 2);
}

void tw_page_remark(struct tw_page *page, const char *format, ...)
{
	ADD_TEXT(TW_BLOCK_REMARK, 2, 4);
}

void tw_page_note(struct tw_page *page, const char *format, ...)
{
	ADD_TEXT(TW_BLOCK_NOTE, 0, 0);
}

void tw_page_warning(struct tw_page *page, const char *format, ...)
{
	ADD_TEXT(TW_BLOCK_WARNING, 0, 4);
}

void tw_page_item(struct tw_page *page, const char *format, ...)
{
	ADD_TEXT(TW_BLOCK_ITEM, 2, 4);
}

void tw_page_fact(struct tw_page *page, const char *name, const char *format, ...)
{
	const char *kept = tw_page_keep(page, name);

	ADD_TEXT(TW_BLOCK_FACT, 0, 0);
	page->last->name = kept;
}

void tw_page_more(struct tw_page *page, const char *format, ...)
{
	struct tw_block *block = page->last;
	const char *more;
	size_t length;
	va_list args;

	va_start(args, format);
	more = tw_page_format(page, format, args);
	va_end(args);
	length = strlen(block->text) + strlen(more) + 1;
	if (length > block->room) {
		block->grown = strcpy(tw_page_take(page, 2 * length), block->text);
		block->text = block->grown;
		block->room = 2 * length;
	}
	strcat(block->grown, more);
}

void tw_page_gap(struct tw_page *page)
{
	add(page, TW_BLOCK_GAP);
}

void tw_page_details(struct tw_page *page, const char *format, ...)
{
	ADD_TEXT(TW_BLOCK_DETAILS, 0, 0);
}

void tw_page_end_details(struct tw_page *page)
{
	add(page, TW_BLOCK_END_DETAILS);
}

void tw_page_only(struct tw_page *page, unsigned media)
{
	if (page->last)
		page->last->media = media;
}

void tw_page_indent(struct tw_page *page, int first, int others)
{
	if (!page->last)
		return;
	page->last->first = first;
	page->last->others = others;
}

void tw_page_mark(struct tw_page *page, enum tw_mark mark)
{
	if (page->last)
		page->last->mark = mark;
}

/* ---- tables and plots ---------------------------------------------------- */

static struct tw_table *add_table(struct tw_page *page, enum tw_block_kind kind,
				  const struct tw_column *columns, size_t count)
{
	struct tw_table *table = tw_page_take(page, sizeof(*table));
	struct tw_column *own = tw_page_take(page, count * sizeof(*own));
	struct tw_block *block = add(page, kind);

	for (size_t i = 0; i < count; i++) {
		own[i] = columns[i];
		own[i].heading = tw_page_keep(page, columns[i].heading);
		if (columns[i].group)
			own[i].group = tw_page_keep(page, columns[i].group);
	}
	*table = (struct tw_table) {
		.page = page, .columns = own, .count = count, .end = &table->rows,
	};
	block->table = table;
	return table;
}

struct tw_table *tw_page_table(struct tw_page *page, const struct tw_column *columns,
			       size_t count)
{
	return add_table(page, TW_BLOCK_TABLE, columns, count);
}

struct tw_table *tw_page_tiles(struct tw_page *page, const struct tw_column *columns,
			       size_t count)
{
	return add_table(page, TW_BLOCK_TILES, columns, count);
}

struct tw_plot *tw_page_plot(struct tw_page *page, const char *title)
{
	struct tw_plot *plot = tw_page_take(page, sizeof(*plot));
	const char *kept = tw_page_keep(page, title);
	struct tw_block *block = add(page, TW_BLOCK_PLOT);

	*plot = (struct tw_plot) {
		.page = page, .title = kept, .caption = "",
		.end = &plot->series, .last_border = &plot->borders,
	};
	plot->x.label = plot->y.label = "";
	block->media = TW_IN_HTML;
	block->plot = plot;
	return plot;
}
