/* SPDX-License-Identifier: MIT */
/*
 * Text on stdout that no terminal of 80 columns breaks; see fold.h.
 */
#include "command/check/fold.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define COLUMNS		79
/* The longest sentences have some 200 bytes. */
#define MOST_TEXT	4096

static void put_folded(const char *text, unsigned indent)
{
	size_t column = 0;

	/* Blanks within a line are kept: the first line has columns. */
	while (*text) {
		size_t blanks = strspn(text, " ");
		size_t length = strcspn(text + blanks, " ");

		if (column && column + blanks + length > COLUMNS) {
			printf("\n%*s", (int)indent, "");
			column = indent;
			blanks = 0;
			text += strspn(text, " ");
		}
		printf("%.*s", (int)(blanks + length), text);
		column += blanks + length;
		text += blanks + length;
	}
	putchar('\n');
}

void tw_check_fold(unsigned indent, const char *format, ...)
{
	char text[MOST_TEXT];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	put_folded(text, indent);
}
