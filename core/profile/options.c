/* SPDX-License-Identifier: MIT */
/*
 * Parses TICKWISE_PROFILE in the environment: words with commas between them,
 * some with a value. Pure. tickwise-profile(1) describes them.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "profile.h"

#define DEFAULT_DEPTH	65536
#define DEFAULT_MEMORY	((int64_t)512 << 20)
#define DEFAULT_EVENTS	1000000
#define MAX_DEPTH	100000000
#define MAX_EVENTS	1000000000

struct word {
	const char *text;
	size_t length;
};

/* Return the value of @word if it is "NAME=VALUE", else NULL. */
static const char *value_of(const struct word *word, const char *name)
{
	size_t length = strlen(name);

	if (word->length < length + 1 || strncmp(word->text, name, length) ||
	    word->text[length] != '=')
		return NULL;
	return word->text + length + 1;
}

static int is_word(const struct word *word, const char *name)
{
	return word->length == strlen(name) &&
	       !strncmp(word->text, name, word->length);
}

/* Parse the whole value: decimal, with K, M or G behind it for powers of 1024. */
static int read_number(const struct word *word, const char *value,
		       uint64_t least, uint64_t most, uint64_t *number)
{
	const char *end = word->text + word->length;
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
		shift = *value == 'K' ? 10 : *value == 'M' ? 20 :
			*value == 'G' ? 30 : 0;
	if (value + (shift != 0) != end || read > most >> shift)
		return 0;
	read <<= shift;
	if (read < least)
		return 0;
	*number = read;
	return 1;
}

static int read_path(const struct word *word, const char *value, char *path)
{
	size_t length = (size_t)(word->text + word->length - value);

	if (!length || length >= PATH_MAX)
		return 0;
	memcpy(path, value, length);
	path[length] = 0;
	return 1;
}

static int read_fence(const struct word *word, const char *value,
		      enum tw_profile_mode *fence)
{
	struct word rest = { value, (size_t)(word->text + word->length - value) };

	if (is_word(&rest, "full"))
		*fence = TW_PROFILE_FENCE_FULL;
	else if (is_word(&rest, "rdtscp"))
		*fence = TW_PROFILE_FENCE_RDTSCP;
	else if (is_word(&rest, "none"))
		*fence = TW_PROFILE_FENCE_NONE;
	else
		return 0;
	return 1;
}

/* Parse throttle=CALLS:NS. */
static int read_throttle(const struct word *word, const char *value,
			 struct tw_profile_options *options)
{
	const char *colon = memchr(value, ':',
				   (size_t)(word->text + word->length - value));
	struct word calls = { word->text, 0 };

	if (!colon)
		return 0;
	calls.length = (size_t)(colon - word->text);
	return read_number(&calls, value, 1, UINT64_MAX / 16,
			   &options->throttle_calls) &&
	       read_number(word, colon + 1, 0, UINT64_MAX / 16,
			   &options->throttle_ns);
}

static int read_limits(const struct word *word,
		       struct tw_profile_options *options)
{
	const char *value;
	uint64_t number;

	if ((value = value_of(word, "depth")) != NULL)
		return read_number(word, value, 1, MAX_DEPTH, &options->depth);
	if ((value = value_of(word, "events")) != NULL)
		return read_number(word, value, 1, MAX_EVENTS,
				   &options->events);
	if ((value = value_of(word, "events-above")) != NULL) {
		if (!options->events)
			options->events = DEFAULT_EVENTS;
		return read_number(word, value, 0, UINT64_MAX / 16,
				   &options->event_min_ns);
	}
	if ((value = value_of(word, "throttle")) != NULL)
		return read_throttle(word, value, options);
	value = value_of(word, "memory");
	if (!value || !read_number(word, value, 1 << 20, INT64_MAX, &number))
		return 0;
	options->memory_bytes = (int64_t)number;
	return 1;
}

static int read_word(const struct word *word, struct tw_profile_options *options)
{
	const char *value;
	uint64_t digits;

	if (is_word(word, "off"))
		return options->off = 1;
	if (is_word(word, "histogram")) {
		options->histogram_digits = 2;
		return 1;
	}
	if ((value = value_of(word, "histogram")) != NULL) {
		if (!read_number(word, value, 1, 3, &digits))
			return 0;
		options->histogram_digits = (unsigned)digits;
		return 1;
	}
	if (is_word(word, "events")) {
		options->events = DEFAULT_EVENTS;
		return 1;
	}
	if ((value = value_of(word, "fence")) != NULL)
		return read_fence(word, value, &options->fence);
	if ((value = value_of(word, "file")) != NULL)
		return read_path(word, value, options->file);
	if ((value = value_of(word, "filter")) != NULL)
		return read_path(word, value, options->filter);
	return read_limits(word, options);
}

int tw_profile_options_parse(struct tw_profile_options *options,
			     const char *text, const char **wrong)
{
	struct tw_profile_options read = {
		.fence = TW_PROFILE_FENCE_FULL, .depth = DEFAULT_DEPTH,
		.memory_bytes = DEFAULT_MEMORY,
	};
	int result = 0;

	while (text && *text) {
		struct word word = { text, strcspn(text, ",") };

		if (word.length && !read_word(&word, &read) && !result) {
			*wrong = text;
			result = -EINVAL;
		}
		text += word.length;
		text += *text == ',';
	}
	*options = read;
	return result;
}
