/* SPDX-License-Identifier: MIT */
/*
 * Text of unknown origin on a terminal.
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
 * tw_plain_text - '?' in place of each byte that is no part of a character, and
 * of each control character
 * @text: changed where it stands
 *
 * Return: @text.
 */
char *tw_plain_text(char *text);

#endif
