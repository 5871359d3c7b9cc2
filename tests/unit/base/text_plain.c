/* SPDX-License-Identifier: MIT */
/*
 * A text of the machine's that is shown on a terminal has no byte that a terminal
 * obeys, and other text is unchanged. Fails if an escape sequence passes, in seven
 * bits or in eight, or if DEL or a byte that is no UTF-8 does. Fails also if a good
 * character loses a byte.
 *
 * Also on other processors.
 */
#include <stdio.h>
#include <string.h>

#include "base/plain_text.h"
#include "tap.h"

static const struct {
	const char *text, *should, *what;
} cases[] = {
	{ "", "", "nothing" },
	{ "Intel(R) Xeon(R) @ 2.10GHz", "Intel(R) Xeon(R) @ 2.10GHz",
	  "a processor" },
	{ "\xc2\xb5s \xe2\x82\xac \xf0\x9f\x98\x80",
	  "\xc2\xb5s \xe2\x82\xac \xf0\x9f\x98\x80", "UTF-8 as it is" },
	{ "\x1b[2Jtsc", "?[2Jtsc", "an escape sequence" },
	{ "\xc2\x9b" "2Jtsc", "??2Jtsc", "the same in eight bits" },
	{ "\xc2\x80" "a\xc2\x9f", "??a??", "the first and the last of those" },
	{ "\xc2\xa0", "\xc2\xa0", "what stands behind those" },
	{ "\xef\xbf\xbe\xef\xbf\xbf\xef\xbf\xbd\xef\xbe\xbf",
	  "??????\xef\xbf\xbd\xef\xbe\xbf", "what is no character of XML" },
	{ "a\tb\nc\x7f", "a?b?c?", "tabs, lines and DEL" },
	{ "\xff\xc0\xaf\xed\xa0\x80", "??????", "no UTF-8" },
	{ "\xe2\x82", "??", "a character cut short" },
	{ "\xe2\x80\xaf" "a\xe2\x80\xae\xc2\xb5\xe2\x81\xa9\xc2\xb5",
	  "\xe2\x80\xaf" "a???\xc2\xb5???\xc2\xb5", "whatever follows" },
	{ "\xe2\x80\xae" "a\xe2\x81\xa7", "???a???", "what turns the direction" },
	{ "\xe2\x80\xa9\xe2\x80\xaf\xe2\x81\xa5\xe2\x81\xaa",
	  "\xe2\x80\xa9\xe2\x80\xaf\xe2\x81\xa5\xe2\x81\xaa",
	  "what stands around those" },
};

/* Random bytes: the text keeps its length, and a second pass finds nothing. */
static void random_bytes(void)
{
	uint64_t state = tap_seed();
	int longer = 0, twice = 0, obeyed = 0, i, j;

	for (i = 0; i < 100000; i++) {
		char text[17] = "", once[17];

		for (j = 0; j < 16; j++)
			text[j] = (char)(1 + tap_random(&state) % 255);
		tw_plain_text(text);
		longer += strlen(text) != 16;
		for (j = 0; j < 16; j++)
			obeyed += (unsigned char)text[j] < 0x20 ||
				  text[j] == 0x7f;
		memcpy(once, text, sizeof(once));
		twice += strcmp(tw_plain_text(text), once) != 0;
	}
	tap_ok(!longer, "100000 random texts are as long as before");
	tap_ok(!obeyed, "and have no control character");
	tap_ok(!twice, "nothing is left to be changed");
}

int main(void)
{
	char text[64];

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		strcpy(text, cases[i].text);
		if (!tap_ok(!strcmp(tw_plain_text(text), cases[i].should), "%s", cases[i].what))
			tap_note("is %s", text);
	}
	random_bytes();
	return tap_done();
}
