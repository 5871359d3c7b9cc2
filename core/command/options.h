/* SPDX-License-Identifier: MIT */
/*
 * The command line of a subcommand as a table. The table is used to read the
 * options (options.c), to print --help and the OPTIONS of the manual
 * (options_text.c), and to complete words in a shell (completion.c).
 *
 * These functions print no errors and do not end the program;
 * tw_command_options() does.
 */
#ifndef TW_COMMAND_OPTIONS_H
#define TW_COMMAND_OPTIONS_H

#include <stddef.h>
#include <stdio.h>

#include "base/allocate.h"

/* The kind of a value, and the type that stores it. */
enum tw_option_kind {
	TW_OPTION_SWITCH,	/* no value; an int or enum becomes .sets, or 1 */
	TW_OPTION_WORD,		/* one of .words; an int or enum becomes .sets +
				 * its index */
	TW_OPTION_WORDS,	/* some of .words, separated by commas; int[]: 0 or 1 */
	TW_OPTION_WHOLE,	/* whole number; int, unsigned or uint64_t */
	TW_OPTION_TIME,		/* number with or without a unit; uint64_t, in ns */
	TW_OPTION_SIZE,		/* number with or without K, M, G, T; size_t, in bytes */
	TW_OPTION_PERCENT,	/* number with or without a %; double */
	TW_OPTION_TEXT,		/* const char * */
	TW_OPTION_FILE,		/* const char *; shells complete a file */
	TW_OPTION_PROGRAM,	/* const char *; shells complete a program */
	TW_OPTION_TEXTS,	/* may be repeated; struct tw_texts */
};

struct tw_option {
	const char *name;		/* without dashes; NULL: end of the table */
	char letter;			/* 0: there is no short form */
	enum tw_option_kind kind;
	/* The name of the value in --help. For TW_OPTION_TIME this is NS, US,
	 * MS or SECONDS: the unit of the limits, and of a number without a
	 * unit. */
	const char *value;
	const char *bare;		/* value of --name without one; NULL: a
					 * value is required */
	const char *const *words;	/* NULL at the end */
	int sets;
	double min, max;		/* for numbers; sizes have no max */
	/* The default if the option is not given, which is not .bare. @preset
	 * is a value; if it is NULL, @otherwise describes the default in words,
	 * or is NULL. */
	const char *preset;
	const char *otherwise;
	/* For --help and the manual: begins with a verb, has no full stop at
	 * the end. Limits and the default are added. `x` is bold in the
	 * manual. */
	const char *help;
	const char *more;		/* for the manual only: sentences; or NULL */
	int is_written;			/* 1: a file to be written, if it is not "-" */
	size_t at, size;		/* where the value is stored: TW_OPTION_AT() */
};

/* The options that mean the same in every command that has them: a bit for
 * each. Every command has --help, too. */
enum tw_common_options {
	TW_HAS_OUTPUT = 1,	/* -o, --output */
	TW_HAS_QUIET = 2,	/* -q, --quiet */
	TW_HAS_VERBOSE = 4,	/* -v, --verbose */
};

struct tw_common {
	const char *output;	/* a path; "-" or NULL: stdout */
	int is_quiet;
	int is_verbose;
};

#define TW_OPTION_AT(type, member) \
	.at = offsetof(type, member), .size = sizeof(((type *)0)->member)
#define TW_OPTION_WORD_LIST(...) \
	((const char *const []) { __VA_ARGS__, NULL })

/* A subcommand. Its table leaves out --help, -h and the options of .common. */
struct tw_options {
	const char *command;
	const char *arguments;		/* "FILE..."; a line for each form; or NULL */
	enum tw_option_kind arguments_kind;	/* for shells: a file, a program */
	const char *about;		/* paragraphs, separated by newlines */
	const char *codes;		/* exit codes */
	const struct tw_option *table;
	unsigned common;		/* enum tw_common_options */
	/* 1: unknown options and all arguments are for another program. Then an
	 * option needs its whole name, and a value its '='. */
	int passes_on;
};

/* What is left of a command line, in the same order. */
struct tw_arguments {
	char **list;			/* NULL at the end */
	int count;
	char **after_dashes;		/* those of @list after --; or NULL */
	struct tw_common common;
};

#define TW_OPTIONS_HELP		1	/* --help was given */
#define TW_OPTIONS_PROBLEM	1024	/* room for what is wrong */

/**
 * tw_options_read - read a command line
 * @values: the presets and the given values are stored here
 * @argv: begins with the command's own name, has NULL at the end; is changed
 * @problem: room for TW_OPTIONS_PROBLEM; set to a sentence without a full stop,
 *	which may have any bytes of @argv
 *
 * If an option is given several times, the last one counts. A name may be cut
 * short, if only one option begins with it.
 *
 * Return: 0; TW_OPTIONS_HELP; -EINVAL with @problem.
 */
int tw_options_read(const struct tw_options *options, void *values, char **argv,
		    struct tw_arguments *arguments, char *problem);

/* The name that was probably meant by an unknown one: begin with @given, and try names. A
 * name stays NULL if more than a third of the characters of each would be wrong. */
struct tw_meant {
	const char *given, *name;
	unsigned wrong;			/* characters */
};

void tw_options_meant(struct tw_meant *meant, const char *name);

/* Return an option by its number: those of the table, then the common ones,
 * then --help; NULL: no more. */
const struct tw_option *tw_options_number(const struct tw_options *options,
					  unsigned number);

/* Return the words of an option: "a, b or c". */
const char *tw_option_words(const struct tw_option *option, const char *between,
			    const char *before_last);

/* Return the unit of a TW_OPTION_TIME, such as "seconds". */
const char *tw_option_time_unit(const struct tw_option *option);

/* Return the sum of times, as in 1h30min. If the last number has no unit, it is multiplied by
 * @default_factor; NAN: it needs one. Return NAN: @text is no time. */
double tw_option_time_ns(const char *text, double default_factor);

/* Print the page of --help. */
void tw_options_print_help(const struct tw_options *options, FILE *out);

/* Print the items of the manual's section OPTIONS, for man(7). */
void tw_options_print_manual(const struct tw_options *options, FILE *out);

#endif
