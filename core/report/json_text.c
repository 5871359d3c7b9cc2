/* SPDX-License-Identifier: MIT */
/*
 * Makes a JSON string of text of unknown origin; see json_text.h.
 */
#include "json_text.h"

#include <string.h>

#include "base/plain_text.h"

#define REPLACEMENT	"\xef\xbf\xbd"

json_t *tw_json_text(const char *text)
{
	json_malloc_t allocate;
	json_free_t release;
	size_t used = 0;
	json_t *string;
	char *good;

	/* The library's allocator notes a lack, or ends the program. */
	json_get_alloc_funcs(&allocate, &release);
	good = allocate(strlen(text) * strlen(REPLACEMENT) + 1);
	if (!good)
		return NULL;
	while (*text) {
		size_t length = tw_character_length(text);

		memcpy(good + used, length ? text : REPLACEMENT,
		       length ? length : strlen(REPLACEMENT));
		used += length ? length : strlen(REPLACEMENT);
		text += length ? length : 1;
	}
	string = json_stringn(good, used);
	release(good);
	return string;
}
