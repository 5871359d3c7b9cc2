/* SPDX-License-Identifier: MIT */
/*
 * A text of unknown origin in a page of HTML is words and nothing else. Fails if a
 * character of HTML keeps its meaning, if a control character or a byte that is no
 * UTF-8 gets through, or if a good character loses a byte.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/output/draw.h"
#include "tap.h"

static void becomes(const char *text, const char *should, const char *what)
{
	char *is = NULL;
	size_t size;
	FILE *file = open_memstream(&is, &size);

	tw_html_text(file, text);
	fclose(file);
	if (!tap_ok(!strcmp(is, should), "%s", what))
		tap_note("is %s", is);
	free(is);
}

int main(void)
{
	becomes("", "", "nothing");
	becomes("<b title='a&b' id=\"c\">", "&#60;b title=&#39;a&#38;b&#39; id="
		"&#34;c&#34;&#62;", "letters of HTML");
	becomes("\xc2\xb5s \xe2\x82\xac \xf0\x9f\x98\x80",
		"\xc2\xb5s \xe2\x82\xac \xf0\x9f\x98\x80", "UTF-8 as it is");
	becomes("a\x1b[2J\n\x7f\xc2\x9b", "a?[2J????", "control characters");
	becomes("\xff<\xe2\x82<", "?&#60;??&#60;", "bytes that are no UTF-8");
	return tap_done();
}
