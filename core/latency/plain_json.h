/* SPDX-License-Identifier: MIT */
/*
 * JSON that is written plainly, read ahead of the JSON library: blanks, strings,
 * whole numbers. What is not plain is left to the library, so each of these may
 * refuse what JSON allows, but takes nothing that JSON doesn't.
 *
 * The text ends with a 0 byte, which no step here passes: whatever is looked
 * for, a 0 byte is something else.
 */
#ifndef TW_PLAIN_JSON_H
#define TW_PLAIN_JSON_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* So many digits can't pass 64 bits, nor the 63 of jansson. */
#define TW_PLAIN_DIGITS	18

static inline const char *tw_plain_skip_blanks(const char *at)
{
	while (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r')
		at++;
	return at;
}

/* @at is behind the opening quote; the result behind the closing one, or NULL
 * where there is none. What is between is not judged. */
static inline const char *tw_plain_skip_string(const char *at, int *escaped)
{
	*escaped = 0;
	for (;;) {
		at += strcspn(at, "\"\\");
		if (*at == '"')
			return at + 1;
		if (at[0] == '\0' || at[1] == '\0')
			return NULL;
		*escaped = 1;
		at += 2;
	}
}

/* A string of printable ASCII without escapes, from its opening quote to behind
 * the closing one; NULL where it is another or none. */
static inline const char *tw_plain_string(const char *at)
{
	if (*at++ != '"')
		return NULL;
	while (*at >= ' ' && *at <= '~' && *at != '"' && *at != '\\')
		at++;
	return *at == '"' ? at + 1 : NULL;
}

/* Behind the number; NULL where there is none, or no plain one. */
static inline const char *tw_plain_number(const char *at, uint64_t *value)
{
	const char *first = at;
	uint64_t sum = 0;

	for (; *at >= '0' && *at <= '9'; at++)
		sum = sum * 10 + (uint64_t)(*at - '0');
	if (at == first || at - first > TW_PLAIN_DIGITS ||
	    (*first == '0' && at - first > 1))
		return NULL;
	*value = sum;
	return at;
}

#endif
