/* SPDX-License-Identifier: MIT */
/* Bytes as text: the base64 of RFC 4648, with padding. */
#ifndef TW_BASE64_H
#define TW_BASE64_H

#include <stddef.h>

/* The length of the text of @size bytes. */
#define TW_BASE64_LENGTH(size)	(((size) + 2) / 3 * 4)

/* Write the text, without a 0 at its end. Return its length. */
size_t tw_base64_put(char *text, const unsigned char *bytes, size_t size);

/* Read a text; only one that tw_base64_put() writes is taken. @bytes has room for 3 bytes per 4
 * characters. Return the number of bytes; 0: the text is wrong, or empty. */
size_t tw_base64_get(unsigned char *bytes, const char *text, size_t length);

#endif
