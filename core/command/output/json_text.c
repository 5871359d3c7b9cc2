/* SPDX-License-Identifier: MIT */
/*
 * Makes a JSON string of text of unknown origin; see json_text.h.
 */
#include "json_text.h"

#include <stdlib.h>
#include <string.h>

#include "plain_text.h"
#include "report/json_memory.h"

#define REPLACEMENT	"\xef\xbf\xbd"

json_t *tw_json_text(const char *text)
{
	char *good = malloc(strlen(text) * strlen(REPLACEMENT) + 1);
	size_t used = 0;
	json_t *string;

	if (!good) {
		tw_json_note_lack();
		return NULL;
	}
	while (*text) {
		size_t length = tw_character_length(text);

		memcpy(good + used, length ? text : REPLACEMENT,
		       length ? length : strlen(REPLACEMENT));
		used += length ? length : strlen(REPLACEMENT);
		text += length ? length : 1;
	}
	string = json_stringn(good, used);
	free(good);
	return string;
}
