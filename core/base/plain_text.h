/* SPDX-License-Identifier: MIT */
/*
 * Decides which characters of a text of unknown origin are shown, on a terminal
 * or in a page. Every writer for readers asks these functions.
 */
#ifndef TW_PLAIN_TEXT_H
#define TW_PLAIN_TEXT_H

#include <stddef.h>

/**
 * tw_character_length - bytes of the UTF-8 character at the start of a string
 * @text: not empty
 *
 * By RFC 3629: no overlong form, no surrogate, nothing above U+10FFFF.
 *
 * Return: 1 to 4; 0 if there is none.
 */
size_t tw_character_length(const char *text);

/**
 * tw_plain_length - bytes of the character at the start of a string, if it can
 * be shown
 * @text: not empty
 *
 * Return: 1 to 4; 0: the first byte belongs to a control character or to no
 * character at all, and '?' is shown for it.
 */
size_t tw_plain_length(const char *text);

/**
 * tw_plain_text - put '?' in place of each byte that can't be shown
 * @text: is changed in place
 *
 * Return: @text.
 */
char *tw_plain_text(char *text);

#endif
