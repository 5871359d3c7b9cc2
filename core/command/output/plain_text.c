/* SPDX-License-Identifier: MIT */
/*
 * Text of unknown origin on a terminal; see plain_text.h.
 */
#include "plain_text.h"

size_t tw_character_length(const char *bytes)
{
	const unsigned char *text = (const unsigned char *)bytes;
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

/* Neither C0 nor C1 nor DEL: a terminal obeys them. */
static int is_printable(const unsigned char *text, size_t length)
{
	if (length == 1)
		return *text >= 0x20 && *text != 0x7f;
	return length > 2 || (length == 2 && (*text != 0xc2 || text[1] >= 0xa0));
}

char *tw_plain_text(char *text)
{
	char *at = text;

	while (*at) {
		size_t length = tw_character_length(at);

		if (is_printable((const unsigned char *)at, length)) {
			at += length;
			continue;
		}
		do
			*at++ = '?';
		while (length > 1 && --length);
	}
	return text;
}
