/* SPDX-License-Identifier: MIT */
/*
 * The texts about a command's options: the page of --help, and the manual's
 * section OPTIONS. Both show every option of the table.
 */
#include <ctype.h>
#include <string.h>

#include "command/options.h"

#define WIDTH		79
#define TEXT_COLUMN	28	/* of --help, at most */

/* ---- the parts of an option ---- */

/* Return "cas|switch", or the value's name; NULL: there is none. */
static const char *value_name(const struct tw_option *option)
{
	return option->kind == TW_OPTION_WORD ? tw_option_words(option, "|", "|") : option->value;
}

/* Return the help, the limits, the meaning without a value, and the default. */
static const char *describe(const struct tw_option *option)
{
	const char *preset = option->preset ? option->preset : option->otherwise;
	const char *limits = "";
	double least = option->min;
	const char *unit = "BKMGT";

	if (option->kind == TW_OPTION_SIZE) {
		for (; least >= 1024 && unit[1]; unit++)
			least /= 1024;
		limits = tw_format(*unit == 'B' ? "at least %g" : "at least %g%c", least, *unit);
	} else if (option->kind == TW_OPTION_WORDS) {
		limits = tw_option_words(option, ", ", ", ");
	} else if (option->max > 0) {
		limits = tw_format("%.16g to %.16g%s%s", option->min, option->max,
				   option->kind == TW_OPTION_TIME ? " " : "",
				   option->kind == TW_OPTION_TIME ?
				   tw_option_time_unit(option) : "");
	}
	if (option->bare)
		limits = tw_format("%s%s%s if %s is left out", limits, *limits ? "; " : "",
				   option->bare, option->value);
	if (preset)
		limits = tw_format("%s%sdefault: %s", limits, *limits ? "; " : "", preset);
	return *limits ? tw_format("%s (%s)", option->help, limits) : option->help;
}

/* Explain the units that options have. */
static void print_notes(const struct tw_options *options, const char *before, FILE *out)
{
	static const struct {
		enum tw_option_kind kind;
		const char *text;
	} notes[] = {
		{ TW_OPTION_TIME,
		  "A time may have units, as in 90s or 1h30min: ns, us, ms, s, min, h." },
		{ TW_OPTION_SIZE, "A size is in bytes, or has one of K, M, G and T behind it." },
	};
	const struct tw_option *option;

	for (size_t note = 0; note < TW_LENGTH(notes); note++)
		for (unsigned i = 0; (option = tw_options_number(options, i)); i++)
			if (option->kind == notes[note].kind) {
				fprintf(out, "%s%s\n", before, notes[note].text);
				break;
			}
}

/* ---- --help ---- */

/* Print words from column @at on. Further lines begin at column @left. */
static void print_words(FILE *out, const char *text, int at, int left)
{
	while (*text) {
		int length = (int)strcspn(text, " \n");

		if (at > left && at + 1 + length > WIDTH) {
			fprintf(out, "\n%*s", left, "");
			at = left;
		} else if (at > left) {
			at += fprintf(out, " ");
		}
		for (int i = 0; i < length; i++)
			if (text[i] != '`')
				at += fprintf(out, "%c", text[i]);
		text += length;
		if (*text == '\n') {
			fprintf(out, "\n%*s", left, "");
			at = left;
		}
		text += *text != '\0';
	}
	fputc('\n', out);
}

static const char *help_label(const struct tw_option *option)
{
	const char *value = value_name(option);

	return tw_format("%s--%s%s", option->letter ? tw_format("  -%c, ", option->letter) :
			 "      ", option->name,
			 value ? tw_format(option->bare ? "[=%s]" : "=%s", value) : "");
}

static void print_usage(const struct tw_options *options, FILE *out)
{
	const char *form = options->arguments ? options->arguments : "";
	const char *before = "usage:";

	do {
		int length = (int)strcspn(form, "\n");

		fprintf(out, "%-6s tickwise %s [options]%s%.*s\n", before,
			options->command, length ? " " : "", length, form);
		before = "";
		form += length;
	} while (*form++);
}

void tw_options_print_help(const struct tw_options *options, FILE *out)
{
	const struct tw_option *option;
	int column = 0, at;

	for (unsigned i = 0; (option = tw_options_number(options, i)); i++) {
		at = (int)strlen(help_label(option)) + 2;
		if (at > column && at <= TEXT_COLUMN)
			column = at;
	}
	print_usage(options, out);
	fputc('\n', out);
	print_words(out, options->about, 0, 0);
	fputs("\nOptions:\n", out);
	for (unsigned i = 0; (option = tw_options_number(options, i)); i++) {
		at = fprintf(out, "%s", help_label(option));
		if (at + 2 > column)
			at = fprintf(out, "\n") - 1;
		fprintf(out, "%*s", column - at, "");
		print_words(out, describe(option), column, column);
	}
	print_notes(options, "\n", out);
	fputc('\n', out);
	print_words(out, options->codes, 0, 0);
}

/* ---- the manual ---- */

/* Print text for roff. Names with dashes are bold, and so is text between two
 * `. */
static void print_roff(const char *text, FILE *out)
{
	int is_quoted = 0, is_name = 0;
	char last = '\n';

	for (; *text; text++) {
		/* At the beginning of a line, roff takes these for a
		 * command. */
		if (last == '\n' && strchr(".'", *text))
			fputs("\\&", out);
		if (is_name && !isalnum((unsigned char)*text) && *text != '-') {
			is_name = 0;
			fputs("\\fP", out);
		}
		if (!is_quoted && !is_name && strncmp(text, "--", 2) == 0) {
			is_name = 1;
			fputs("\\fB", out);
		}
		if (*text == '`') {
			is_quoted = !is_quoted;
			fputs(is_quoted ? "\\fB" : "\\fP", out);
		} else if (*text == '-') {
			fputs("\\-", out);
		} else if (*text == '\\') {
			fputs("\\e", out);
		} else if (*text == ' ' && last == '.') {
			fputs("\n", out);	/* a sentence begins a new line */
			last = '\n';
			continue;
		} else {
			fputc(*text, out);
		}
		last = *text;
	}
	fputs(is_name ? "\\fP" : "", out);
}

static void print_manual_item(const struct tw_option *option, FILE *out)
{
	const char *end = option->bare ? "]" : "";
	const char *value = value_name(option);

	fputs(".TP\n", out);
	if (option->letter)
		print_roff(tw_format("`-%c`, ", option->letter), out);
	print_roff(tw_format("`--%s%s%s`", option->name, option->bare ? "[" : "",
			     value ? "=" : ""), out);
	if (value && option->words && option->kind == TW_OPTION_WORD)
		fprintf(out, "\\fB%s\\fP%s\n", value, end);
	else
		fprintf(out, value ? "\\fI%s\\fP%s\n" : "\n", value, end);
	print_roff(describe(option), out);
	fputs(".\n", out);
	if (option->more) {
		print_roff(option->more, out);
		fputc('\n', out);
	}
}

void tw_options_print_manual(const struct tw_options *options, FILE *out)
{
	const struct tw_option *option;

	for (unsigned i = 0; (option = tw_options_number(options, i)); i++)
		print_manual_item(option, out);
	print_notes(options, ".PP\n", out);
}
