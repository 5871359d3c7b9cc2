/* SPDX-License-Identifier: MIT */
/*
 * Decides which characters of a text of unknown origin are shown, on a terminal
 * or in a page. Every writer for readers asks these functions.
 */
#ifndef TW_PLAIN_TEXT_H
#define TW_PLAIN_TEXT_H

#include <stddef.h>

/* Return the bytes of the UTF-8 character at the start of @text, which is not empty: 1 to 4;
 * 0: there is none. By RFC 3629: no overlong form, no surrogate, nothing above U+10FFFF. */
size_t tw_character_length(const char *text);

/* Return the same, if the character can be shown. 0: the first byte belongs to a control
 * character or to no character at all, and '?' is shown for it. */
size_t tw_plain_length(const char *text);

/* Put '?' in place of each byte that can't be shown. Return: @text. */
char *tw_plain_text(char *text);

#endif
