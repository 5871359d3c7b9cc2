/* SPDX-License-Identifier: MIT */
/*
 * Writes text in HTML: see html_text.h.
 */
#include <stdio.h>
#include <string.h>

#include "command/output/html_text.h"
#include "base/plain_text.h"

void tw_html_text_part(FILE *file, const char *text, const char *end)
{
	size_t length;

	for (; text < end; text += length ? length : 1) {
		length = tw_plain_length(text);
		if (!length)
			fputc('?', file);
		else if (strchr("<>&\"'", *text))
			fprintf(file, "&#%d;", *text);
		else
			fwrite(text, length, 1, file);
	}
}

void tw_html_text(FILE *file, const char *text)
{
	tw_html_text_part(file, text, text + strlen(text));
}
