/* SPDX-License-Identifier: MIT */
/*
 * Text of unknown origin as a JSON string; see json_text.h.
 */
#include "json_text.h"

#include <stdlib.h>
#include <string.h>

#define REPLACEMENT	"\xef\xbf\xbd"

/* Bytes of the character that begins at @text, by RFC 3629: no overlong form,
 * no surrogate, nothing above U+10FFFF. Return: 0 if there is none. */
static size_t character_length(const unsigned char *text)
{
	unsigned char low = 0x80, high = 0xbf;
	size_t length, i;

	if (*text < 0x80)
		return 1;
	if (*text < 0xc2 || *text > 0xf4)
		return 0;
	length = *text < 0xe0 ? 2 : *text < 0xf0 ? 3 : 4;
	if (*text == 0xe0)
		low = 0xa0;
	if (*text == 0xed)
		high = 0x9f;
	if (*text == 0xf0)
		low = 0x90;
	if (*text == 0xf4)
		high = 0x8f;
	for (i = 1; i < length; i++) {
		if (text[i] < low || text[i] > high)
			return 0;
		low = 0x80;
		high = 0xbf;
	}
	return length;
}

json_t *tw_json_text(const char *text)
{
	char *good = malloc(strlen(text) * strlen(REPLACEMENT) + 1);
	size_t used = 0;
	json_t *string;

	if (!good)
		return NULL;
	while (*text) {
		size_t length = character_length((const unsigned char *)text);

		memcpy(good + used, length ? text : REPLACEMENT,
		       length ? length : strlen(REPLACEMENT));
		used += length ? length : strlen(REPLACEMENT);
		text += length ? length : 1;
	}
	string = json_stringn(good, used);
	free(good);
	return string;
}
