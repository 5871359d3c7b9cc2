/* SPDX-License-Identifier: MIT */
/*
 * Parses TICKWISE_PROFILE in the environment: words with commas between them, some with a
 * value. Pure. tickwise-profile(1) describes them.
 */
#include <errno.h>
#include <stddef.h>
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
static int read_number(const char *value, size_t length, uint64_t least, uint64_t most,
		       uint64_t *number)
{
	const char *end = value + length;
	uint64_t read = 0;
	unsigned shift = 0;

	if (value == end)
		return 0;
	for (; value < end && *value >= '0' && *value <= '9'; value++) {
		read = read * 10 + (uint64_t)(*value - '0');
		if (read > most)
			return 0;
	}
	if (value + 1 == end)
		shift = *value == 'K' ? 10 : *value == 'M' ? 20 : *value == 'G' ? 30 : 0;
	if (value + (shift != 0) != end || read > most >> shift || read << shift < least)
		return 0;
	*number = read << shift;
	return 1;
}

/* Parse CALLS:NS. */
static int read_throttle(const char *value, size_t length, struct tw_profile_options *options)
{
	const char *colon = memchr(value, ':', length);
	size_t before = (size_t)(colon - value);

	return colon && read_number(value, before, 1, MOST, &options->throttle_calls) &&
	       read_number(colon + 1, length - before - 1, 0, MOST, &options->throttle_ns);
}

static int read_fence(const char *value, size_t length, enum tw_profile_mode *fence)
{
	for (int mode = TW_PROFILE_FENCE_NONE; mode <= TW_PROFILE_FENCE_FULL; mode++)
		if (length == strlen(tw_profile_fences[mode]) &&
		    !strncmp(value, tw_profile_fences[mode], length)) {
			*fence = (enum tw_profile_mode)mode;
			return 1;
		}
	return 0;
}

/* Read a word of the list: "NAME" or "NAME=VALUE". Return 1 if it is right. */
static int read_word(const char *text, size_t length, struct tw_profile_options *options)
{
	const char *equals = memchr(text, '=', length), *value = equals ? equals + 1 : NULL;
	size_t name_length = equals ? (size_t)(equals - text) : length;
	const struct word *word = words, *end = words + sizeof(words) / sizeof(*words);
	void *at;

	while (word < end && (strlen(word->name) != name_length ||
			      strncmp(word->name, text, name_length)))
		word++;
	if (word == end || (!value && !word->bare))
		return 0;
	at = (char *)options + word->at;
	length -= name_length + 1;
	switch (word->kind) {
	case THROTTLE:
		return read_throttle(value, length, options);
	case FENCE:
		return read_fence(value, length, &options->fence);
	case PATH:
		if (!length || length >= PATH_MAX)
			return 0;
		memcpy(at, value, length);
		((char *)at)[length] = 0;
		return 1;
	case NUMBER:
		break;
	}
	if (at == &options->event_min_ns && !options->events)
		options->events = DEFAULT_EVENTS;
	if (value)
		return read_number(value, length, word->least, word->most, at);
	*(uint64_t *)at = word->bare;
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
