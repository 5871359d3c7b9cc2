/* SPDX-License-Identifier: MIT */
/*
 * Is what is read ahead of the JSON library read as the library reads it? By
 * force: every byte of a plain text becomes every other one that means
 * something in JSON, or gets it before it, or goes, or is where the text ends;
 * and whatever is read of what comes of it, the library must read the same.
 */
#ifndef TW_TESTS_EVERY_BYTE_H
#define TW_TESTS_EVERY_BYTE_H

#include <stdlib.h>
#include <string.h>

#include "tap.h"

/* @agrees: do both read the same of @text? Counts in @ahead those read ahead. */
static void check_every_byte(const char *plain,
			     int (*agrees)(const char *text, unsigned *ahead))
{
	static const char others[] = "\"{}[],:\\ 0189.-+eEtu\n\x01\x7f\xc3";
	const size_t length = strlen(plain);
	unsigned ahead = 0, wrong = 0, tried = 0;
	char *text = malloc(length + 2);

	for (size_t i = 0; i < length; i++) {
		for (const char *other = others; *other; other++) {
			strcpy(text, plain);
			text[i] = *other;
			wrong += !agrees(text, &ahead);
			strcpy(text + i + 1, plain + i);
			wrong += !agrees(text, &ahead);
			tried += 2;
		}
		strcpy(text + i, plain + i + 1);
		wrong += !agrees(text, &ahead);
		text[i] = '\0';
		wrong += !agrees(text, &ahead);
		tried += 2;
	}
	free(text);
	if (!tap_ok(!wrong && ahead > tried / 10,
		    "%u texts are read as the JSON library reads them", tried))
		tap_note("%u differ, %u were read ahead", wrong, ahead);
}

#endif
