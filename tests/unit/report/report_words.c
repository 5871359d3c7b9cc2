/* SPDX-License-Identifier: MIT */
/*
 * Tests: core/command/answers
 *
 * The words of the rows read as English after the number: 1 is singular, all others are
 * plural. Fails if a row's words do not differ for 1 where a page prints them, if a
 * bracket is left in the text, or if the words do not fit.
 */
#include <string.h>

#include "report/rows.h"
#include "tap.h"

static void is_text(const char *words, uint64_t count, const char *expected)
{
	char text[TW_ROW_TEXT];

	tw_row_words(text, words, count);
	tap_ok(strcmp(text, expected) == 0, "%d %s", (int)count, text);
}

/* Return 1 if the words fit and can follow both numbers. */
static int is_good(const char *words, int is_printed)
{
	char one[TW_ROW_TEXT], many[TW_ROW_TEXT];

	tw_row_words(one, words, 1);
	tw_row_words(many, words, 2);
	return strlen(many) < TW_ROW_TEXT - 1 && !strpbrk(many, "[]") &&
	       !strpbrk(one, "[]") && (!is_printed || strcmp(one, many) != 0);
}

static int is_reason(size_t row)
{
	return strncmp(tw_count_rows[row].path, "kernel_stages.", 14) == 0;
}

int main(void)
{
	char text[TW_ROW_TEXT], words[2 * TW_ROW_TEXT];

	is_text("error[s]", 1, "error");
	is_text("error[s]", 0, "errors");
	is_text("process[es] not followed, I/O[s]", 1, "process not followed, I/O");
	is_text("process[es] not followed, I/O[s]", 2, "processes not followed, I/Os");
	memset(words, 'x', sizeof(words));
	words[sizeof(words) - 1] = '\0';
	tw_row_words(text, words, 1);
	tap_ok(strlen(text) == TW_ROW_TEXT - 1, "words that are too long are cut");

	for (size_t i = 0; i < TW_COUNTS; i++)
		tap_ok(is_good(tw_count_rows[i].words, tw_count_rows[i].show != TW_NOT_SHOWN ||
			       is_reason(i)), "%s", tw_count_rows[i].path);
	for (size_t i = 0; i < TW_SCALARS; i++)
		tap_ok(is_good(tw_scalar_rows[i].words, i + TW_COUNTS >= TW_ROW_lost_records),
		       "%s", tw_scalar_rows[i].path);
	return tap_done();
}
