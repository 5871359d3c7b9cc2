/* SPDX-License-Identifier: MIT */
/*
 * Text of unknown origin as a JSON string.
 */
#ifndef TW_JSON_TEXT_H
#define TW_JSON_TEXT_H

#include <jansson.h>

/**
 * tw_json_text - @text, whatever bytes it has
 *
 * JSON is UTF-8, and the library refuses all else: a brand string or a file of
 * the kernel's may hold anything. Each byte that belongs to no character
 * becomes U+FFFD, the replacement character.
 *
 * Return: a new string; NULL: no memory.
 */
json_t *tw_json_text(const char *text);

#endif
