/* SPDX-License-Identifier: MIT */
/*
 * Reads a command line by its table. Pure: no output, no state of its own.
 */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "command/options.h"

#define LONGEST_NAME	64	/* longest name that is compared */
#define DIGITS		"0123456789"

#define AT(member)	TW_OPTION_AT(struct tw_common, member)

/* In the order of their bits. .at is in struct tw_common. */
static const struct tw_option common_options[] = {
	{ .name = "output", .letter = 'o', .kind = TW_OPTION_FILE, .value = "FILE",
	  .otherwise = "-, standard output",
	  .help = "Print to FILE",
	  AT(output) },
	{ .name = "quiet", .letter = 'q',
	  .help = "Print no progress and no remarks, but warnings and errors",
	  AT(is_quiet) },
	{ .name = "verbose", .letter = 'v',
	  .help = "Print on stderr what the library decided, and why", AT(is_verbose) },
};

static const struct tw_option help_option = {
	.name = "help", .letter = 'h', .help = "Print the options",
};

struct reading {
	const struct tw_options *options;
	void *values;
	struct tw_common *common;
	char *problem;
};

/* ---- the options ---- */

const struct tw_option *tw_options_number(const struct tw_options *options,
					  unsigned number)
{
	unsigned i = 0;

	while (i < number && options->table[i].name)
		i++;
	if (options->table[i].name)
		return &options->table[i];
	for (unsigned j = 0; j < TW_LENGTH(common_options); j++)
		if (options->common & 1U << j && i++ == number)
			return &common_options[j];
	return i == number ? &help_option : NULL;
}

static void *place_of(const struct reading *reading, const struct tw_option *option)
{
	const struct tw_option *end = common_options + TW_LENGTH(common_options);
	int is_common = option >= common_options && option < end;

	return (is_common ? (char *)reading->common : (char *)reading->values) + option->at;
}

__attribute__((format(printf, 2, 3)))
static int refuse(const struct reading *reading, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(reading->problem, TW_OPTIONS_PROBLEM, format, args);
	va_end(args);
	return -EINVAL;
}

/* ---- values ---- */

struct unit {
	const char *name;
	double factor;
};

static const struct unit time_units[] = {
	{ "ns", 1 }, { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 },
	{ "min", 60e9 }, { "h", 3600e9 }, { NULL, 0 },
};

static const struct unit size_units[] = {
	{ "K", 0x1p10 }, { "M", 0x1p20 }, { "G", 0x1p30 }, { "T", 0x1p40 },
	{ "k", 0x1p10 }, { "m", 0x1p20 }, { "g", 0x1p30 }, { "t", 0x1p40 },
	{ NULL, 0 },
};

static const struct unit percent_units[] = { { "%", 1 }, { NULL, 0 } };

/* The names that a table gives to values, and their units. */
static const struct time_value {
	const char *value, *unit;
	double ns;
} time_values[] = {
	{ "NS", "nanoseconds", 1 }, { "US", "microseconds", 1e3 },
	{ "MS", "milliseconds", 1e6 }, { "SECONDS", "seconds", 1e9 },
};

static const struct time_value *time_value(const struct tw_option *option)
{
	const struct time_value *value = time_values;

	while (strcmp(value->value, option->value) != 0)
		value++;
	return value;
}

const char *tw_option_time_unit(const struct tw_option *option)
{
	return time_value(option)->unit;
}

/*
 * Return the value of a number with a unit. Without a unit the number is
 * multiplied by @default_factor. NAN: @text is no number. Only digits and one
 * point are accepted; strtod() alone would also accept "0x10" and "1e1".
 */
static double number_of(const char *text, const struct unit *units, double default_factor)
{
	size_t whole = strspn(text, DIGITS);
	size_t decimals = text[whole] == '.' ? strspn(text + whole + 1, DIGITS) : 0;
	const char *end = text + whole + (text[whole] == '.') + decimals;

	if (!whole && !decimals)
		return NAN;
	if (!*end)
		return strtod(text, NULL) * default_factor;
	for (; units->name; units++)
		if (strcmp(end, units->name) == 0)
			return strtod(text, NULL) * units->factor;
	return NAN;
}

double tw_option_time_ns(const char *text, double default_factor)
{
	double sum = 0;

	do {
		const size_t number = strspn(text, DIGITS ".");
		const size_t length = number + strcspn(text + number, DIGITS ".");
		char one[32];

		if (length >= sizeof(one))
			return NAN;
		snprintf(one, sizeof(one), "%.*s", (int)length, text);
		sum += number_of(one, time_units, default_factor);
		text += length;
	} while (*text);
	return sum;
}

/* A number that a double does not have is too large for any option. */
static double whole_of(const char *text)
{
	unsigned long long number = strtoull(text, NULL, 10);

	return !*text || text[strspn(text, DIGITS)] || number > 1ULL << 53 ? NAN :
	       (double)number;
}

static void store(const struct reading *reading, const struct tw_option *option,
		  uint64_t value)
{
	int small = (int)value;

	if (option->size == sizeof(small))
		memcpy(place_of(reading, option), &small, sizeof(small));
	else
		memcpy(place_of(reading, option), &value, sizeof(value));
}

static int take_number(const struct reading *reading, const struct tw_option *option,
		       const char *text)
{
	const char *what = "a whole number";
	double unit = 1, number;

	switch (option->kind) {
	case TW_OPTION_SIZE:
		number = number_of(text, size_units, 1);
		if (!(number >= option->min && number <= 0x1p46) || number != floor(number))
			return refuse(reading, "--%s takes a size of at least %.0f bytes, "
				      "like 16K, 1M, not '%s'", option->name,
				      option->min, text);
		store(reading, option, (uint64_t)number);
		return 0;
	case TW_OPTION_TIME:
		what = time_value(option)->unit;
		unit = time_value(option)->ns;
		number = tw_option_time_ns(text, unit);
		break;
	case TW_OPTION_PERCENT:
		what = "a percentage";
		number = number_of(text, percent_units, 1);
		break;
	default:
		number = whole_of(text);
		break;
	}
	if (!(number >= option->min * unit && number <= option->max * unit))
		return refuse(reading, "--%s takes %s, %.16g to %.16g, not '%s'",
			      option->name, what, option->min, option->max, text);
	if (option->kind == TW_OPTION_PERCENT)
		memcpy(place_of(reading, option), &number, sizeof(number));
	else
		store(reading, option, (uint64_t)llround(number));
	return 0;
}

const char *tw_option_words(const struct tw_option *option, const char *between,
			    const char *before_last)
{
	const char *words = option->words[0];

	for (unsigned i = 1; option->words[i]; i++)
		words = tw_format("%s%s%s", words, option->words[i + 1] ? between : before_last,
				  option->words[i]);
	return words;
}

/* Return the index of the word that equals @length bytes of @text; -EINVAL. */
static int take_index(const struct reading *reading, const struct tw_option *option,
		      const char *text, size_t length)
{
	const char *const *words = option->words;

	for (int i = 0; words[i]; i++)
		if (strlen(words[i]) == length && strncmp(words[i], text, length) == 0)
			return i;
	return refuse(reading, "--%s takes %s, not '%.*s'", option->name,
		      tw_option_words(option, ", ", " or "), (int)length, text);
}

static int take_words(const struct reading *reading, const struct tw_option *option,
		      const char *text)
{
	int *wanted = place_of(reading, option);
	size_t length;

	memset(wanted, 0, option->size);
	for (;; text += length + 1) {
		int index;

		length = strcspn(text, ",");
		index = take_index(reading, option, text, length);
		if (index < 0)
			return index;
		wanted[index] = 1;
		if (!text[length])
			return 0;
	}
}

static int needs_value(const struct reading *reading, const struct tw_option *option)
{
	if (option->kind == TW_OPTION_WORD)
		return refuse(reading, "--%s needs a value: %s", option->name,
			      tw_option_words(option, ", ", " or "));
	return refuse(reading, "--%s needs a value: --%s=%s", option->name,
		      option->name, option->value);
}

static int take_value(const struct reading *reading, const struct tw_option *option,
		      const char *text)
{
	void *at = place_of(reading, option);
	int index;

	switch (option->kind) {
	case TW_OPTION_SWITCH:
		store(reading, option, option->sets ? (uint64_t)option->sets : 1);
		return 0;
	case TW_OPTION_WORD:
		index = take_index(reading, option, text, strlen(text));
		if (index >= 0)
			store(reading, option, (uint64_t)(option->sets + index));
		return index < 0 ? index : 0;
	case TW_OPTION_WORDS:
		return take_words(reading, option, text);
	case TW_OPTION_TEXTS:
		tw_push(at, tw_copy_text(text));
		return 0;
	case TW_OPTION_FILE:
		if (!*text)
			return needs_value(reading, option);
		break;
	case TW_OPTION_TEXT:
	case TW_OPTION_PROGRAM:
		break;
	default:
		return take_number(reading, option, text);
	}
	memcpy(at, &text, sizeof(text));
	return 0;
}

/* ---- names ---- */

/* Return how many characters are wrong: Levenshtein's distance, with one row in memory. 0: the
 * name is cut short. */
static unsigned distance(const char *given, const char *name)
{
	size_t length = strlen(name), given_length = strlen(given);
	unsigned row[LONGEST_NAME + 1];

	if (given_length && strncmp(given, name, given_length) == 0)
		return 0;
	if (length > LONGEST_NAME || given_length > LONGEST_NAME)
		return UINT_MAX;
	for (unsigned i = 0; i <= length; i++)
		row[i] = i;
	for (unsigned i = 0; given[i]; i++) {
		unsigned corner = row[0]++;

		for (unsigned j = 0; j < length; j++) {
			unsigned least = corner + (given[i] != name[j]);

			corner = row[j + 1];
			least = corner + 1 < least ? corner + 1 : least;
			row[j + 1] = row[j] + 1 < least ? row[j] + 1 : least;
		}
	}
	return row[length];
}

void tw_options_meant(struct tw_meant *meant, const char *name)
{
	unsigned wrong = distance(meant->given, name);

	if (wrong <= (strlen(meant->given) + 2) / 3 && (!meant->name || wrong < meant->wrong)) {
		meant->name = name;
		meant->wrong = wrong;
	}
}

static int unknown(const struct reading *reading, const char *given)
{
	const struct tw_option *option;
	char name[LONGEST_NAME + 1] = "";
	struct tw_meant meant = { .given = name };

	if (given[1] == '-')
		snprintf(name, sizeof(name), "%.*s", (int)strcspn(given + 2, "="),
			 given + 2);
	for (unsigned i = 0; (option = tw_options_number(reading->options, i)); i++)
		tw_options_meant(&meant, option->name);
	if (meant.name)
		return refuse(reading, "unknown option %s (did you mean --%s?)",
			      given, meant.name);
	return refuse(reading, "unknown option %s (see --help)", given);
}

/* Find the option of "--name" and "--name=VALUE", also by a beginning that no other name
 * has; or that of "-x" and "-xVALUE". */
static const struct tw_option *find(const struct tw_options *options, const char *given)
{
	const char *name = given + 2;
	size_t length = strcspn(name, "=");
	const struct tw_option *option, *found = NULL;
	unsigned beginnings = 0;

	for (unsigned i = 0; (option = tw_options_number(options, i)); i++) {
		if (given[1] != '-') {
			if (option->letter && option->letter == given[1] &&
			    (!given[2] || option->kind != TW_OPTION_SWITCH))
				return option;
		} else if (strncmp(option->name, name, length) == 0) {
			if (!option->name[length])
				return option;
			beginnings++;
			found = option;
		}
	}
	return length && beginnings == 1 && !options->passes_on ? found : NULL;
}

/* ---- the command line ---- */

#define NOT_OURS	2

/* Read the option at @at, and move @at to the option's value if that is an
 * argument of its own. Return: 0; NOT_OURS; or as tw_options_read(). */
static int take(const struct reading *reading, char ***at)
{
	const char *given = **at, *value;
	int is_long = given[1] == '-', passes_on = reading->options->passes_on;
	const struct tw_option *option = find(reading->options, given);

	if (!option)
		return passes_on ? NOT_OURS : unknown(reading, given);
	value = is_long ? strchr(given, '=') : given[2] ? given + 1 : NULL;
	if (value)
		value++;
	if (option->kind == TW_OPTION_SWITCH && value)
		return refuse(reading, "--%s takes no value", option->name);
	if (option == &help_option)
		return TW_OPTIONS_HELP;
	if (!value)
		value = option->bare;
	if (!value && option->kind != TW_OPTION_SWITCH) {
		if (passes_on || !(*at)[1])
			return needs_value(reading, option);
		value = *++*at;
	}
	return take_value(reading, option, value);
}

int tw_options_read(const struct tw_options *options, void *values, char **argv,
		    struct tw_arguments *arguments, char *problem)
{
	const struct reading reading = {
		options, values, &arguments->common, problem,
	};
	char **at = argv + 1, **kept = at;
	int code = 0;

	arguments->list = at;
	arguments->after_dashes = NULL;
	arguments->common = (struct tw_common) { .output = NULL };
	for (const struct tw_option *option = options->table; option->name; option++)
		if (option->preset)
			take_value(&reading, option, option->preset);
	for (; !code && *at && strcmp(*at, "--") != 0; at++) {
		char *argument = *at;

		code = argument[0] == '-' && argument[1] ?
			take(&reading, &at) : NOT_OURS;
		if (code == NOT_OURS) {
			*kept++ = argument;
			code = 0;
		}
	}
	if (code)
		return code;
	if (*at) {
		at++;
		arguments->after_dashes = kept;
	}
	while (*at)
		*kept++ = *at++;
	*kept = NULL;
	arguments->count = (int)(kept - arguments->list);
	return !options->arguments && arguments->count ?
		refuse(&reading, "takes no '%s' (see --help)",
		       arguments->list[0]) : 0;
}
