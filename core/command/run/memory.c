/* SPDX-License-Identifier: MIT */
/*
 * The memory of one run: lines of text that refer to each other. It is
 * allocated piece by piece and freed at once. The program ends if there is no
 * memory.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/command.h"
#include "command/run/run.h"

#define FIRST_ROOM	8

struct piece {
	struct piece *next;
	max_align_t content[];
};

static struct piece *pieces;

static void *take(size_t size)
{
	struct piece *piece = calloc(1, sizeof(*piece) + size);

	if (!piece)
		exit(tw_command_end(TW_RUN_NAME, tw_command_fail(TW_RUN_NAME,
				    TW_EXIT_SOFTWARE, "out of memory")));
	piece->next = pieces;
	pieces = piece;
	return piece->content;
}

void tw_run_release(void)
{
	while (pieces) {
		struct piece *next = pieces->next;

		free(pieces);
		pieces = next;
	}
}

/* The array is full at 0, 8, 16, 32 ... elements, and then becomes twice as
 * large. */
void *tw_run_grow(void *array, size_t count, size_t size)
{
	void *larger;

	if (count && (count < FIRST_ROOM || (count & (count - 1))))
		return array;
	larger = take((count ? 2 * count : FIRST_ROOM) * size);
	if (count)
		memcpy(larger, array, count * size);
	return larger;
}

void tw_run_append(struct tw_run_text *text, const char *more, size_t count)
{
	for (size_t i = 0; i <= count; i++) {
		text->bytes = tw_run_grow(text->bytes, text->length + i, 1);
		text->bytes[text->length + i] = i < count ? more[i] : '\0';
	}
	text->length += count;
}

char *tw_run_format(const char *format, ...)
{
	va_list args, again;
	char *text;
	int length;

	va_start(args, format);
	va_copy(again, args);
	length = vsnprintf(NULL, 0, format, args);
	va_end(args);
	if (length < 0)
		length = 0;
	text = take((size_t)length + 1);
	vsnprintf(text, (size_t)length + 1, format, again);
	va_end(again);
	return text;
}

size_t tw_run_push(char ***list, size_t count, char *text)
{
	*list = tw_run_grow(*list, count, sizeof(**list));
	(*list)[count] = text;
	return count + 1;
}
