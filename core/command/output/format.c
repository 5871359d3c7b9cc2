/* SPDX-License-Identifier: MIT */
/*
 * Numbers and text of a page for people.
 */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "command/output/format.h"
#include "command/output/plain_text.h"

/* A unit serves up to @most of it; there rounding would reach the next. */
static const struct unit {
	double ns;
	double most;
	const char *name;
} units[] = {
	{ 1, 999.95, "ns" },
	{ 1e3, 999.95, "us" },
	{ 1e6, 999.95, "ms" },
	{ 1e9, 9999.5, "s" },
	{ 3600e9, 9999.5, "h" },
	{ 365.25 * 86400e9, HUGE_VAL, "y" },
};

/* Decimals that make four significant digits of a value below 10^4. */
static int decimals_of(double value)
{
	if (value < 9.9995)
		return 3;
	if (value < 99.995)
		return 2;
	return value < 999.95;
}

struct tw_format_unit tw_format_unit(double ns)
{
	const struct unit *unit = units;

	while (fabs(ns) >= unit->most * unit->ns && unit->most < HUGE_VAL)
		unit++;
	return (struct tw_format_unit) {
		.ns = unit->ns,
		.name = unit->name,
		.decimals = decimals_of(fabs(ns) / unit->ns),
	};
}

const char *tw_format_ns(char *text, double ns)
{
	struct tw_format_unit unit = tw_format_unit(ns);
	double value = ns / unit.ns;

	if (unit.ns == units[0].ns && value == floor(value))
		unit.decimals = 0;
	snprintf(text, TW_FORMAT_SIZE, "%.*f %s", unit.decimals, value,
		 unit.name);
	return text;
}

const char *tw_format_number(char *text, double value)
{
	double size = fabs(value);

	if (size >= 1e10)
		snprintf(text, TW_FORMAT_SIZE, "%.3e", value);
	else
		snprintf(text, TW_FORMAT_SIZE, "%.*f", decimals_of(size),
			 value);
	return text;
}

const char *tw_format_signed(char *text, double value)
{
	text[0] = value < 0 ? '-' : '+';
	snprintf(text + 1, TW_FORMAT_SIZE - 1, "%s",
		 tw_format_number((char[TW_FORMAT_SIZE]) { 0 }, fabs(value)));
	return text;
}

/* ---- text ---------------------------------------------------------------- */

/* Prints what can be shown of @word to @file, or nothing where that is NULL. A
 * character takes a column. */
static int put_word(const char *word, size_t length, FILE *file)
{
	const char *end = word + length;
	int columns = 0;

	for (; word < end; columns++) {
		size_t bytes = tw_plain_length(word);

		if (file)
			fwrite(bytes ? word : "?", bytes ? bytes : 1, 1, file);
		word += bytes ? bytes : 1;
	}
	return columns;
}

static void add_word(struct tw_paragraph *paragraph, const char *word,
		     size_t length)
{
	int columns = put_word(word, length, NULL);

	if (paragraph->words &&
	    paragraph->column + 1 + columns > TW_PAGE_COLUMNS) {
		printf("\n%*s", paragraph->indent, "");
		paragraph->column = paragraph->indent;
	} else if (paragraph->words) {
		putchar(' ');
		paragraph->column++;
	}
	paragraph->column += put_word(word, length, stdout);
	paragraph->words = 1;
}

void tw_paragraph_add(struct tw_paragraph *paragraph, const char *text)
{
	while (*text) {
		size_t length = strcspn(text, " ");

		if (length)
			add_word(paragraph, text, length);
		text += length;
		text += strspn(text, " ");
	}
}

void tw_paragraph_printf(struct tw_paragraph *paragraph,
			 const char *format, ...)
{
	char text[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	tw_paragraph_add(paragraph, text);
}

void tw_paragraph_end(struct tw_paragraph *paragraph)
{
	putchar('\n');
	paragraph->column = 0;
	paragraph->words = 0;
}
