/* SPDX-License-Identifier: MIT */
/*
 * Makes text of unknown origin safe for readers; see plain_text.h.
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

/* Is this U+202A to U+202E or U+2066 to U+2069? These change the direction of
 * the text after them. */
static int turns_direction(const unsigned char *text)
{
	return text[0] == 0xe2 &&
	       ((text[1] == 0x80 && text[2] >= 0xaa && text[2] <= 0xae) ||
		(text[1] == 0x81 && text[2] >= 0xa6 && text[2] <= 0xa9));
}

/* Terminals obey C0, C1 and DEL. XML does not allow U+FFFE and U+FFFF. */
size_t tw_plain_length(const char *bytes)
{
	const unsigned char *text = (const unsigned char *)bytes;
	size_t length = tw_character_length(bytes);

	if (length == 1)
		return *text >= 0x20 && *text != 0x7f;
	if (length == 2 && *text == 0xc2 && text[1] < 0xa0)
		return 0;
	if (length == 3 && *text == 0xef && text[1] == 0xbf && text[2] >= 0xbe)
		return 0;
	if (length == 3 && turns_direction(text))
		return 0;
	return length;
}

char *tw_plain_text(char *text)
{
	char *at = text;

	while (*at) {
		size_t length = tw_plain_length(at);

		if (!length)
			*at = '?';
		at += length ? length : 1;
	}
	return text;
}
