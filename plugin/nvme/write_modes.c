/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reads the text of write_mode; write_modes.h describes it. Pure: it calls nothing of fio.
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "write_modes.h"

#define BLANK	101U

static const struct {
	const char *name;
	uint8_t command;
} names[TW_WRITE_MODES_MAX] = {
	{ "write", TW_NVME_WRITE },
	{ "uncor", TW_NVME_UNCORRECTABLE },
	{ "zeroes", TW_NVME_ZEROES },
	{ "verify", TW_NVME_VERIFY },
};

/* Find the name of @length bytes at @text. False: there is none. */
static bool find(const char *text, size_t length, uint8_t *command)
{
	size_t i;

	for (i = 0; i < TW_WRITE_MODES_MAX; i++)
		if (strlen(names[i].name) == length &&
		    !strncmp(names[i].name, text, length)) {
			*command = names[i].command;
			return true;
		}
	return false;
}

/* Read the percentage at @text up to @end; nothing is BLANK. False: it is none. */
static bool read_percent(const char *text, const char *end, unsigned *percent)
{
	unsigned long value = BLANK;
	char *stop = (char *)text;

	if (text != end)
		value = strtoul(text, &stop, 10);
	*percent = (unsigned)value;
	return stop == end && (text == end || (*text >= '0' && *text <= '9' && value <= 100));
}

/* Check the percentages, and turn them into limits. The last name takes what a division leaves. */
static const char *set_shares(struct tw_write_modes *modes)
{
	unsigned total = 0, blanks = 0, below = 0, i;

	for (i = 0; i < modes->count; i++) {
		if (modes->mode[i].below == BLANK)
			blanks++;
		else
			total += modes->mode[i].below;
	}
	if (total > 100 || (!blanks && total != 100))
		return "the percentages do not add up to 100";
	for (i = 0; i < modes->count; i++) {
		below += modes->mode[i].below == BLANK ? (100 - total) / blanks :
			 modes->mode[i].below;
		modes->mode[i].below = below;
	}
	return NULL;
}

const char *tw_write_modes_read(const char *text, struct tw_write_modes *modes)
{
	const char *end, *slash;
	bool mixed;

	if (!text)
		text = "write";
	if (strstr(text, "zone_append"))
		return "zone_append: refused, not implemented";
	mixed = strpbrk(text, ":/") != NULL;
	for (modes->count = 0; ; text = end + 1) {
		const unsigned i = modes->count;

		end = text + strcspn(text, ":");
		slash = text + strcspn(text, ":/");
		if (i == TW_WRITE_MODES_MAX)
			return "a name occurs more than once";
		if (!find(text, (size_t)(slash - text), &modes->mode[i].command))
			return "write, uncor, zeroes, verify, or a mix as write/60:zeroes/40";
		modes->mode[i].below = 100;
		if (mixed && (*slash != '/' || !read_percent(slash + 1, end,
							       &modes->mode[i].below)))
			return "each name of a mix needs a / and a percentage or nothing";
		modes->count++;
		if (!*end)
			break;
	}
	if (mixed && modes->count < 2)
		return "a mix has two names or more";
	return mixed ? set_shares(modes) : NULL;
}
