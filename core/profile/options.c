/* SPDX-License-Identifier: MIT */
/*
 * Parses TICKWISE_PROFILE in the environment: words with commas between them, some with a
 * value. Pure. tickwise-profile(1) describes them.
 */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile.h"

#define DEFAULT_EVENTS	1000000
#define MOST		(UINT64_MAX / 16)

enum kind { NUMBER, THROTTLE, FENCE, PATH };

static const struct word {
	const char *name;
	enum kind kind;
	size_t at;			/* in the options */
	uint64_t least, most;		/* of a number */
	uint64_t bare;			/* the number without a value; 0: it needs one */
} words[] = {
#define AT(member)	offsetof(struct tw_profile_options, member)
	{ "off", NUMBER, AT(off), 1, 0, 1 },	/* takes no value */
	{ "histogram", NUMBER, AT(histogram_digits), 1, 3, 2 },
	{ "events", NUMBER, AT(events), 1, 1000000000, DEFAULT_EVENTS },
	{ "events-above", NUMBER, AT(event_min_ns), 0, MOST, 0 },
	{ "depth", NUMBER, AT(depth), 1, 100000000, 0 },
	{ "memory", NUMBER, AT(memory_bytes), 1 << 20, INT64_MAX, 0 },
	{ "throttle", THROTTLE, 0, 0, 0, 0 },
	{ "fence", FENCE, 0, 0, 0, 0 },
	{ "file", PATH, AT(file), 0, 0, 0 },
	{ "filter", PATH, AT(filter), 0, 0, 0 },
};

/* Parse the whole value: decimal, with K, M or G behind it for powers of 1024. */
static int read_number(const char *value, uint64_t least, uint64_t most, uint64_t *number)
{
	static const char units[] = "KMG";
	char *end;
	uint64_t read = strtoull(value, &end, 10);
	const char *unit = *end ? strchr(units, *end) : NULL;
	unsigned shift = unit ? 10 * (unsigned)(unit - units + 1) : 0;

	if (*value < '0' || *value > '9' || end[unit != NULL] || read > most >> shift ||
	    read << shift < least)
		return 0;
	*number = read << shift;
	return 1;
}

static int read_value(const struct word *word, char *value, struct tw_profile_options *options)
{
	void *at = (char *)options + word->at;
	char *colon;

	switch (word->kind) {
	case NUMBER:
		return read_number(value, word->least, word->most, at);
	case THROTTLE:			/* CALLS:NS */
		colon = strchr(value, ':');
		if (!colon)
			return 0;
		*colon = 0;
		return read_number(value, 1, MOST, &options->throttle_calls) &&
		       read_number(colon + 1, 0, MOST, &options->throttle_ns);
	case FENCE:
		for (int mode = TW_PROFILE_FENCE_NONE; mode <= TW_PROFILE_FENCE_FULL; mode++)
			if (!strcmp(value, tw_profile_fences[mode])) {
				options->fence = (enum tw_profile_mode)mode;
				return 1;
			}
		return 0;
	case PATH:
		if (!*value || strlen(value) >= PATH_MAX)
			return 0;
		strcpy(at, value);
		return 1;
	}
	return 0;
}

/* Read a word of the list: "NAME" or "NAME=VALUE". Return 1 if it is right. */
static int read_word(const char *text, size_t length, struct tw_profile_options *options)
{
	const struct word *word = words, *end = words + sizeof(words) / sizeof(*words);
	char name[PATH_MAX + 16], *value;

	if (length >= sizeof(name))
		return 0;
	snprintf(name, sizeof(name), "%.*s", (int)length, text);
	value = strchr(name, '=');
	if (value)
		*value++ = 0;
	while (word < end && strcmp(word->name, name))
		word++;
	if (word == end || (!value && !word->bare))
		return 0;
	if (word->at == AT(event_min_ns) && !options->events)
		options->events = DEFAULT_EVENTS;
	if (value)
		return read_value(word, value, options);
	*(uint64_t *)(void *)((char *)options + word->at) = word->bare;
	return 1;
}

int tw_profile_options_parse(struct tw_profile_options *options, const char *text,
			     const char **wrong)
{
	int result = 0;

	*options = (struct tw_profile_options) {
		.fence = TW_PROFILE_FENCE_FULL, .depth = 65536, .memory_bytes = 512 << 20,
	};
	while (text && *text) {
		size_t length = strcspn(text, ",");

		if (length && !read_word(text, length, options) && !result) {
			*wrong = text;
			result = -EINVAL;
		}
		text += length;
		text += *text == ',';
	}
	return result;
}
