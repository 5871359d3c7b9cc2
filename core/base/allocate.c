/* SPDX-License-Identifier: MIT */
/*
 * The program's memory; see allocate.h.
 */
#include "base/allocate.h"

#include <string.h>
#include <sysexits.h>
#include <unistd.h>

#include "base/write_file.h"

#define FIRST_ROOM	8

/* What is in stdio's buffers may be half of something, so it is not written. */
_Noreturn void tw_no_memory(void)
{
	static const char message[] = "tickwise: out of memory\n";
	ssize_t written = write(STDERR_FILENO, message, sizeof(message) - 1);

	(void)written;
	tw_output_remove_all();
	_exit(EX_SOFTWARE);
}

static void *got(void *block)
{
	if (!block)
		tw_no_memory();
	return block;
}

/* The JSON library also asks for nothing. */
void *tw_malloc(size_t size)
{
	return got(malloc(size ? size : 1));
}

void *tw_zalloc(size_t count, size_t size)
{
	return got(calloc(count ? count : 1, size));
}

FILE *tw_text_open(char **text, size_t *size)
{
	return got(open_memstream(text, size));
}

void tw_text_close(FILE *stream)
{
	if (fclose(stream))
		tw_no_memory();
}

/* ---- texts ---- */

struct tw_piece {
	struct tw_piece *next;
	max_align_t content[];
};

void *tw_take_piece(struct tw_piece **pieces, size_t size)
{
	struct tw_piece *piece = tw_zalloc(1, sizeof(*piece) + size);

	piece->next = *pieces;
	*pieces = piece;
	return piece->content;
}

void tw_release_pieces(struct tw_piece **pieces)
{
	while (*pieces) {
		struct tw_piece *next = (*pieces)->next;

		free(*pieces);
		*pieces = next;
	}
}

char *tw_format_piece(struct tw_piece **pieces, const char *format, va_list args)
{
	char *text, *kept;

	if (vasprintf(&text, format, args) < 0)
		tw_no_memory();
	kept = strcpy(tw_take_piece(pieces, strlen(text) + 1), text);
	free(text);
	return kept;
}

static struct tw_piece *texts;

void tw_release_texts(void)
{
	tw_release_pieces(&texts);
}

/* The array is full at 0, 8, 16, 32 ... elements, and then becomes twice as
 * large. */
void *tw_grow(void *array, size_t count, size_t size)
{
	void *larger;

	if (count && (count < FIRST_ROOM || (count & (count - 1))))
		return array;
	larger = tw_take_piece(&texts, (count ? 2 * count : FIRST_ROOM) * size);
	if (count)
		memcpy(larger, array, count * size);
	return larger;
}

void tw_append(struct tw_growing_text *text, const char *more, size_t count)
{
	for (size_t i = 0; i <= count; i++) {
		text->bytes = tw_grow(text->bytes, text->length + i, 1);
		text->bytes[text->length + i] = i < count ? more[i] : '\0';
	}
	text->length += count;
}

void tw_append_format(struct tw_growing_text *text, const char *format, ...)
{
	char *more;
	va_list args;

	va_start(args, format);
	if (vasprintf(&more, format, args) < 0)
		tw_no_memory();
	va_end(args);
	tw_append(text, more, strlen(more));
	free(more);
}

char *tw_copy_text(const char *text)
{
	return strcpy(tw_take_piece(&texts, strlen(text) + 1), text);
}

char *tw_format(const char *format, ...)
{
	char *text;
	va_list args;

	va_start(args, format);
	text = tw_format_piece(&texts, format, args);
	va_end(args);
	return text;
}

void tw_push(struct tw_texts *into, char *text)
{
	*tw_grow_by_one(into->list, into->count) = text;
	into->list = tw_grow(into->list, into->count, sizeof(*into->list));
	into->list[into->count] = NULL;
}
