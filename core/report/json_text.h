/* SPDX-License-Identifier: MIT */
/*
 * Makes a JSON string of text of unknown origin.
 */
#ifndef TW_JSON_TEXT_H
#define TW_JSON_TEXT_H

#include <jansson.h>

/**
 * tw_json_text - make a string of @text, whatever bytes it has
 *
 * JSON is UTF-8, and the library refuses other bytes. But a brand string or a
 * file of the kernel can have any bytes. Each byte that belongs to no character
 * becomes U+FFFD, the replacement character.
 *
 * Return: a new string; NULL: out of memory.
 */
json_t *tw_json_text(const char *text);

#endif
