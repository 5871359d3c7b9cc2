/* SPDX-License-Identifier: MIT */
/*
 * JSON in a C file, to be read: with ' for quotes.
 */
#ifndef TW_TESTS_WRITTEN_JSON_H
#define TW_TESTS_WRITTEN_JSON_H

#include <string.h>

/* The JSON of it, in @text. */
static inline char *text_of(const char *written, char *text)
{
	size_t length = strlen(written);

	for (size_t i = 0; i <= length; i++)
		text[i] = written[i] == '\'' ? '"' : written[i];
	return text;
}

/* On one line, in @name: a test's. */
static inline const char *name_of(const char *written, char *name)
{
	strcpy(name, written);
	for (char *c = name; *c; c++)
		if (*c < ' ')
			*c = ' ';
	return name;
}

#endif
