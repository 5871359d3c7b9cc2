/* SPDX-License-Identifier: MIT */
/*
 * Finds the counter's rate in texts of the kernel. Pure; see text.h.
 */
#include "text.h"

#include <ctype.h>
#include <string.h>

uint64_t tw_parse_mhz(const char *text)
{
	uint64_t khz = 0;
	unsigned digits = 0;
	unsigned decimals = 0;

	for (; isdigit((unsigned char)*text) && digits < 7; text++, digits++)
		khz = khz * 10 + (uint64_t)(*text - '0');
	if (!digits || *text++ != '.')
		return 0;
	for (; isdigit((unsigned char)*text) && decimals < 3; text++, decimals++)
		khz = khz * 10 + (uint64_t)(*text - '0');
	if (decimals < 3 || isdigit((unsigned char)*text) || *text == '.')
		return 0;
	return khz;
}

static const char *end_of_line(const char *line)
{
	return line + strcspn(line, "\n");
}

/* Return the value of "name : value" if the line has that name, else NULL. */
static const char *value_of(const char *line, const char *name)
{
	size_t length = strlen(name);

	if (strncmp(line, name, length))
		return NULL;
	line += length;
	line += strspn(line, " \t");
	if (*line != ':')
		return NULL;
	return line + 1 + strspn(line + 1, " \t");
}

static int has_word(const char *words, const char *word)
{
	const char *end = end_of_line(words);
	size_t length = strlen(word);

	while (words < end) {
		size_t had = strcspn(words, " \t\n");

		if (had == length && !memcmp(words, word, length))
			return 1;
		words += had;
		words += strspn(words, " \t");
	}
	return 0;
}

uint64_t tw_parse_cpuinfo_khz(const char *text)
{
	uint64_t khz = 0;
	int told = 0;

	/* An empty line ends the first CPU. */
	while (*text && *text != '\n') {
		const char *mhz = value_of(text, "cpu MHz");
		const char *flags = value_of(text, "flags");

		if (mhz)
			khz = tw_parse_mhz(mhz);
		if (flags)
			/* With aperfmperf the value is the core's speed now. */
			told = has_word(flags, "hypervisor") &&
			       has_word(flags, "tsc_known_freq") &&
			       !has_word(flags, "aperfmperf");
		text = end_of_line(text);
		text += *text == '\n';
	}
	return told ? khz : 0;
}

/* Skip "<6>" and any of "[    0.000000]", "[    T0]" before a message. */
static const char *message_of(const char *line)
{
	if (*line == '<')
		line += strcspn(line, ">\n");
	line += *line == '>';
	while (*line == '[') {
		line += strcspn(line, "]\n");
		line += *line == ']';
		line += strspn(line, " ");
	}
	return line;
}

/* Return X in kHz if the message begins with "@before X MHz@after", else 0. */
static uint64_t rate_in(const char *message, const char *before,
			const char *after)
{
	size_t length = strlen(before);
	const char *unit;

	if (strncmp(message, before, length))
		return 0;
	message += length;
	unit = message + strcspn(message, " \n");
	if (strncmp(unit, after, strlen(after)))
		return 0;
	return tw_parse_mhz(message);
}

uint64_t tw_parse_kernel_log_khz(const char *text)
{
	static const struct {
		const char *before, *after;
	} messages[] = {	/* best first */
		{ "tsc: Refined TSC clocksource calibration: ", " MHz" },
		{ "tsc: Detected ", " MHz TSC" },
		{ "tsc: Detected ", " MHz processor" },
	};
	enum { KINDS = sizeof(messages) / sizeof(messages[0]) };
	uint64_t khz[KINDS] = { 0 };
	unsigned i;

	while (*text) {
		const char *message = message_of(text);

		for (i = 0; i < KINDS; i++) {
			uint64_t found = rate_in(message, messages[i].before,
						messages[i].after);

			if (found)
				khz[i] = found;
		}
		text = end_of_line(text);
		text += *text == '\n';
	}
	for (i = 0; i < KINDS - 1 && !khz[i]; i++)
		;
	return khz[i];
}
