/* SPDX-License-Identifier: MIT */
/*
 * The command line of a subcommand as a table. From it come reading the options
 * (options.c), --help and the OPTIONS of the manual (options_text.c), and what a
 * shell completes (completion.c).
 *
 * Nothing here prints an error or ends the program; tw_command_options() does.
 */
#ifndef TW_COMMAND_OPTIONS_H
#define TW_COMMAND_OPTIONS_H

#include <stddef.h>
#include <stdio.h>

/* What a value is, and what it is stored as. */
enum tw_option_kind {
	TW_OPTION_SWITCH,	/* no value; an int or enum becomes .sets, or 1 */
	TW_OPTION_WORD,		/* one of .words; an int or enum: .sets + its index */
	TW_OPTION_WORDS,	/* some of .words, with commas between; int[]: 0 or 1 */
	TW_OPTION_WHOLE,	/* whole number; int, unsigned or uint64_t */
	TW_OPTION_TIME,		/* number with or without a unit; uint64_t, in ns */
	TW_OPTION_SIZE,		/* number with or without K, M, G, T; size_t, in bytes */
	TW_OPTION_PERCENT,	/* number with or without a %; double */
	TW_OPTION_TEXT,		/* const char * */
	TW_OPTION_FILE,		/* const char *; shells complete a file, */
	TW_OPTION_PROGRAM,	/* const char *; or a program */
	TW_OPTION_TEXTS,	/* may be repeated; struct tw_option_texts */
};

/* Its owner makes room for as many as there are arguments. */
struct tw_option_texts {
	const char **list;
	size_t count;
};

struct tw_option {
	const char *name;		/* without dashes; NULL: end of a table */
	char letter;			/* 0: there is no short form */
	enum tw_option_kind kind;
	/* What --help calls the value. Of TW_OPTION_TIME: NS, US, MS or SECONDS,
	 * the unit of a number without one, and of the limits. */
	const char *value;
	const char *bare;		/* value of --name alone; NULL: required */
	const char *const *words;	/* NULL at the end */
	/* What each word was before: taken still, not shown; or NULL. Of a
	 * TW_OPTION_WORD. */
	const char *const *older_words;
	int sets;
	double min, max;		/* of numbers; sizes have no max */
	/* What holds if the option is not given at all, which is not .bare: a value,
	 * or where that is NULL, words; or NULL. */
	const char *preset;
	const char *otherwise;
	/* For --help and the manual: begins with a verb, no full stop at the end;
	 * limits and the default are added. `x` is bold in the manual. */
	const char *help;
	const char *more;		/* for the manual only: sentences; or NULL */
	size_t at, size;		/* where it is stored: TW_OPTION_AT() */
};

/* The options that mean the same wherever a command has them, other than --help,
 * which each has: an or of these. */
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

/* A subcommand. What it shares with others is not in its table: --help and -h, and
 * the options of .common. */
struct tw_options {
	const char *command;
	const char *arguments;		/* "FILE..."; a line for each form; or NULL */
	enum tw_option_kind arguments_kind;	/* for shells: a file, a program */
	const char *about;		/* paragraphs, with a newline between */
	const char *codes;		/* exit codes */
	const struct tw_option *table;
	unsigned common;		/* enum tw_common_options */
	/* Unknown options and all arguments are for another program: an option
	 * is taken only by its whole name, a value only after a '='. */
	int passes_on;
};

/* What is left of a command line, in its order. */
struct tw_arguments {
	char **list;			/* NULL at the end */
	int count;
	char **after_dashes;		/* of list, what stood behind --; or NULL */
	struct tw_common common;
};

#define TW_OPTIONS_HELP		1	/* --help was given */
#define TW_OPTIONS_PROBLEM	1024	/* room for what is wrong */

/**
 * tw_options_read - read a command line
 * @values: the presets and what was given are stored here
 * @argv: begins with the command's own name, NULL at the end; is changed
 * @problem: room for TW_OPTIONS_PROBLEM; one sentence without its end, may have any
 *	bytes of @argv
 *
 * The last one counts of an option that is given several times. A name may be cut
 * short as long as only one option begins with it.
 *
 * Return: 0; TW_OPTIONS_HELP; -EINVAL with @problem.
 */
int tw_options_read(const struct tw_options *options, void *values, char **argv,
		    struct tw_arguments *arguments, char *problem);

/* How many characters are wrong in a name; 0: it is cut short; TW_OPTIONS_FAR: more
 * than a third, another name was meant. */
unsigned tw_options_distance(const char *given, const char *name);

#define TW_OPTIONS_FAR		100

/* The options of the table, then the common ones, then --help; NULL: no more. */
const struct tw_option *tw_options_number(const struct tw_options *options,
					  unsigned number);

/* "seconds", of a TW_OPTION_TIME. */
const char *tw_option_time_unit(const struct tw_option *option);

/* The page of --help. */
void tw_options_print_help(const struct tw_options *options, FILE *out);

/* The items of the manual's section OPTIONS, for man(7). */
void tw_options_print_manual(const struct tw_options *options, FILE *out);

#endif
