/* SPDX-License-Identifier: MIT */
/*
 * A text of the machine's becomes a JSON string whatever bytes it has. Fails if one
 * stray byte loses the whole object, or if good characters around it are lost.
 * Fails also if a sequence that resembles UTF-8 but is not (overlong, surrogates,
 * cut short) is let through.
 */
#include <stdlib.h>
#include <string.h>

#include "report/report_json.h"
#include "tap.h"

#define R	"\xef\xbf\xbd"

static void becomes(const char *text, const char *should, const char *what)
{
	json_t *string = tw_json_text(text);

	if (!tap_ok(string && strcmp(json_string_value(string), should) == 0,
		    "%s", what))
		tap_note("is %s", string ? json_string_value(string) : "NULL");
	json_decref(string);
}

/* Random bytes are never refused, and a second pass changes nothing. */
static void random_bytes(void)
{
	uint64_t state = tap_seed();
	int refused = 0, changed = 0, i, j;

	for (i = 0; i < 20000; i++) {
		char text[17] = "";
		json_t *once, *twice;

		for (j = 0; j < 16; j++)
			text[j] = (char)(0x60 + tap_random(&state) % 0xa0);
		once = tw_json_text(text);
		twice = once ? tw_json_text(json_string_value(once)) : NULL;
		refused += !once;
		changed += !json_equal(once, twice);
		json_decref(once);
		json_decref(twice);
	}
	tap_is_u64((uint64_t)refused, 0, "refused of 20000 random texts");
	tap_is_u64((uint64_t)changed, 0, "and changed when done again");
}

int main(void)
{
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
	random_bytes();
	return tap_done();
}
