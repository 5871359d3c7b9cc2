/* SPDX-License-Identifier: MIT */
/*
 * Tests: core/command/analysis
 *
 * The words of the rows read as English after the number: 1 is singular, all others are
 * plural. Fails if a row's words do not differ for 1 where a page prints them, if a
 * bracket is left in the text, or if the words do not fit.
 *
 * A text of the machine's becomes a JSON string whatever bytes it has. Fails if one stray
 * byte loses the whole object, or if good characters around it are lost. Fails also if a
 * sequence that resembles UTF-8 but is not (overlong, surrogates, cut short) is let through.
 */
#include <string.h>

#include "report/report_json.h"
#include "report/metrics.h"
#include "tap.h"

static void is_text(const char *words, uint64_t count, const char *expected)
{
	char text[TW_METRIC_TEXT];

	tw_metric_label(text, words, count);
	tap_ok(strcmp(text, expected) == 0, "%d %s", (int)count, text);
}

/* Return 1 if the words fit and can follow both numbers. */
static int is_good(const char *words, int is_printed)
{
	char one[TW_METRIC_TEXT], many[TW_METRIC_TEXT];

	tw_metric_label(one, words, 1);
	tw_metric_label(many, words, 2);
	return strlen(many) < TW_METRIC_TEXT - 1 && !strpbrk(many, "[]") &&
	       !strpbrk(one, "[]") && (!is_printed || strcmp(one, many) != 0);
}

static int is_reason(size_t row)
{
	return strncmp(tw_count_metrics[row].path, "kernel_stages.", 14) == 0;
}

/* ---- text of unknown origin ---- */

#define R	"\xef\xbf\xbd"

static void becomes(const char *text, const char *should, const char *what)
{
	json_t *string = tw_json_text(text);

	if (!tap_ok(string && strcmp(json_string_value(string), should) == 0,
		    "%s", what))
		tap_note("is %s", string ? json_string_value(string) : "NULL");
	json_decref(string);
}

int main(void)
{
	char text[TW_METRIC_TEXT], words[2 * TW_METRIC_TEXT];

	is_text("error[s]", 1, "error");
	is_text("error[s]", 0, "errors");
	tap_ok(!strcmp(TW_SAY_COUNT(1, "I/O[s]"), "1 I/O") &&
	       !strcmp(TW_SAY_COUNT(18446744073709551615U, "I/O[s]"),
		       "18446744073709551615 I/Os"), "after their number");
	is_text("process[es] not followed, I/O[s]", 1, "process not followed, I/O");
	is_text("process[es] not followed, I/O[s]", 2, "processes not followed, I/Os");
	memset(words, 'x', sizeof(words));
	words[sizeof(words) - 1] = '\0';
	tw_metric_label(text, words, 1);
	tap_ok(strlen(text) == TW_METRIC_TEXT - 1, "words that are too long are cut");

	for (size_t i = 0; i < TW_COUNTS; i++)
		tap_ok(is_good(tw_count_metrics[i].label, tw_count_metrics[i].show != TW_NOT_SHOWN ||
			       is_reason(i)), "%s", tw_count_metrics[i].path);
	for (size_t i = 0; i < TW_SCALARS; i++)
		tap_ok(is_good(tw_scalar_metrics[i].label, i + TW_COUNTS >= TW_METRIC_lost_records),
		       "%s", tw_scalar_metrics[i].path);
	becomes("", "", "nothing");
	becomes("Xeon(R) @ 2.10GHz", "Xeon(R) @ 2.10GHz", "plain");
	becomes("\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80",
		"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80", "2, 3 and 4 bytes");
	becomes("a\xffz", "a" R "z", "a stray byte");
	becomes("\xa9", R, "a continuation without a beginning");
	becomes("\xc3", R, "cut at the end");
	becomes("\xe2\x82z", R R "z", "cut in the middle");
	becomes("\xc0\xaf", R R, "overlong");
	becomes("\xe0\x80\x80", R R R, "overlong, 3 bytes");
	becomes("\xed\xa0\x80", R R R, "a surrogate");
	becomes("\xf4\x90\x80\x80", R R R R, "above U+10FFFF");
	return tap_done();
}
