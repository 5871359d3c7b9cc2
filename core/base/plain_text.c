/* SPDX-License-Identifier: MIT */
/*
 * Makes text of unknown origin safe for readers; see plain_text.h.
 */
#include "plain_text.h"

size_t tw_character_length(const char *bytes)
{
	const unsigned char *text = (const unsigned char *)bytes;
	unsigned char low = *text == 0xe0 ? 0xa0 : *text == 0xf0 ? 0x90 : 0x80;
	unsigned char high = *text == 0xed ? 0x9f : *text == 0xf4 ? 0x8f : 0xbf;
	size_t length;

	if (*text < 0x80)
		return 1;
	if (*text < 0xc2 || *text > 0xf4)
		return 0;
	length = *text < 0xe0 ? 2 : *text < 0xf0 ? 3 : 4;
	for (size_t i = 1; i < length; i++) {
		if (text[i] < low || text[i] > high)
			return 0;
		low = 0x80;
		high = 0xbf;
	}
	return length;
}

/* Terminals obey C0, C1 and DEL. XML does not allow U+FFFE and U+FFFF. U+202A to U+202E and
 * U+2066 to U+2069 change the direction of the text after them. */
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
	if (length == 3 && *text == 0xe2 &&
	    ((text[1] == 0x80 && text[2] >= 0xaa && text[2] <= 0xae) ||
	     (text[1] == 0x81 && text[2] >= 0xa6 && text[2] <= 0xa9)))
		return 0;
	return length;
}

char *tw_plain_text(char *text)
{
	for (char *at = text; *at; at += tw_plain_length(at))
		if (!tw_plain_length(at))
			*at = '?';
	return text;
}
