/* SPDX-License-Identifier: MIT */
/*
 * The subcommands of `tickwise`, and what they share: exit codes, messages, options, the
 * end of a measurement, and how a result is printed.
 */
#ifndef TW_COMMAND_H
#define TW_COMMAND_H

#include <jansson.h>

#include "command/options.h"
#include "tickwise.h"

enum tw_exit {
	TW_EXIT_GOOD = 0,
	TW_EXIT_BAD_VERDICT = 1,
	TW_EXIT_UNDECIDED = 2,
	TW_EXIT_USAGE = 64,	/* sysexits.h: the command line is wrong */
	TW_EXIT_DATA = 65,	/* an input file is not what it should be */
	TW_EXIT_NO_INPUT = 66,	/* an input file can't be opened */
	TW_EXIT_SOFTWARE = 70,	/* could not run: memory, threads */
	TW_EXIT_IO = 74,	/* writing the output failed */
};

/* Do what follows for each @bit that is set in @bits. */
#define TW_EACH_BIT(bit, bits) \
	for (unsigned bit = 1; bit && bit <= (bits); bit <<= 1) \
		if ((bits) & bit)

struct tw_command {
	const char *name;
	int (*run)(char **argv);
	const char *does;
	const struct tw_options *options;
};

/* Print scripts for shells that complete command lines (completion.c). They are printed
 * when the program is built, and installed with it. */
void tw_completion_print_bash(const struct tw_command *commands, FILE *out);
void tw_completion_print_zsh(const struct tw_command *commands, FILE *out);

/* The subcommands in the order of the help: NAME, the WORD of its C names, what it does. */
#define TW_EACH_COMMAND(DO)								\
	DO("run", run, "where does the time of this job's or path's I/Os go?") \
	DO("sweep", sweep, "how much load does this path or job bear, and what gives way?") \
	DO("report", report, "what do these reports of jobs say, merged?")		\
	DO("diff", diff, "did it become slower from one set of runs to another?")	\
	DO("attach", attach, "what does a program wait for at its files?") \
	DO("kernel-helper", kernel_helper,						\
	   "serve stages inside the kernel to a fio without privileges")		\
	DO("doctor", doctor, "is this machine ready, and what is there to fix?")	\
	DO("engine", engine, "where is the engine for this fio?")			\
	DO("build-engine", build_engine, "build the engine for another fio")		\
	DO("check", check, "can this machine's counter be trusted, and why (not)?")	\
	DO("calibrate", calibrate,							\
	   "how fast does the counter run, and how well is that known?")		\
	DO("compare", compare,								\
	   "how far off are fio's and Tickwise's clocks, and at what cost?")		\
	DO("bench", bench, "for developers: what does reading the time cost?")		\
	DO("memlat", memlat, "how long does a load take, cache by cache?")		\
	DO("profile", profile, "where does a program's time go, function by function?")

/* argv[0] is the subcommand's own name. Each function returns an enum tw_exit. */
#define TW_DECLARE_COMMAND(name, word, does)		\
	int tw_command_##word(char **argv);		\
	extern const struct tw_options tw_##word##_options;

TW_EACH_COMMAND(TW_DECLARE_COMMAND)

/* Longest message that is printed. Names of files can be long. */
#define TW_COMMAND_MESSAGE	2048

/* Print "tickwise NAME: ..." and a newline on stderr. Return: @code. */
int tw_command_fail(const char *name, int code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Print a remark, which is neither an error nor a warning. --quiet suppresses
 * it. */
void tw_command_remark(const char *name, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
int tw_command_is_quiet(void);

/**
 * tw_command_options - read the command line, print --help and errors
 * @arguments: is set to what is left; NULL for a command without arguments
 *
 * Tries the files that options name, and that will be written after a long measurement:
 * their content stays. Refuses a file of two options, and one that stdout goes to.
 *
 * Return: TW_GO_ON; else the enum tw_exit with which the command has ended.
 */
int tw_command_options(const struct tw_options *options, void *values, char **argv,
		       struct tw_arguments *arguments);

#define TW_GO_ON	(-1)

/* Apply the common options; tw_command_options() calls it. Return: TW_GO_ON, or
 * an enum tw_exit after a message. */
int tw_command_take_common(const char *name, const struct tw_common *common);

/* Finish the output at the end of the program: close the file of --output, too. Return:
 * as tw_command_finish(). */
int tw_command_end(const char *name, int code);

/* Catch SIGINT and SIGTERM from now on. The first signal is remembered, the
 * second ends the program. Ignored signals stay ignored. */
void tw_command_catch_interrupts(void);
int tw_command_is_interrupted(void);
/* Return TW_ENOUGH after such a signal, else 0. For the progress functions of
 * the library. */
int tw_command_has_enough(void);
/* Print the message about an interruption. @has_result: a result is printed.
 * Return: TW_EXIT_UNDECIDED. */
int tw_command_interrupted(const char *name, int has_result);

/* Make a folder for this program's temporary files. Return: its path, for
 * tw_private_folder_remove(); NULL after a message. */
char *tw_command_private_folder(const char *name);

/* Flush stdout, and put the file of --output in its place, unless @code is an error.
 * Return: @code; TW_EXIT_IO with a message if not all output could be written (a full
 * disk, a closed pipe). */
int tw_command_finish(const char *name, int code);

/* ---- the result of a command ---- */

struct tw_page;
struct tw_table;

enum tw_form { TW_FORM_PAGE, TW_FORM_JSON, TW_FORM_CSV };

/* The values of the options --json, --csv and --html. */
struct tw_wanted {
	enum tw_form form;
	int is_lines;			/* 1: JSON is an array; each element is printed on
					 * a line of its own */
	const char *html;		/* a path; NULL: no file */
};

/**
 * tw_command_show - print to stdout, and then to the file of --html
 * @page: is freed
 * @json: is released; NULL: another form is wanted
 * @table: of @page, for --csv; NULL if a command has none
 *
 * The result is on stdout, or in the file of --output, even if the page can't be
 * written. After Ctrl-C, page and JSON are marked as interrupted.
 *
 * Return: TW_EXIT_GOOD, or another enum tw_exit after a message.
 * TW_EXIT_UNDECIDED means that an interrupted measurement was printed.
 */
int tw_command_show(const char *name, const struct tw_wanted *wanted,
		    struct tw_page *page, const struct tw_table *table, json_t *json);

/* Entries of a table of options; @member is the struct tw_wanted in @type. */
#define TW_OPTION_JSON(type, member) \
	{ .name = "json", .sets = TW_FORM_JSON, \
	  .help = "Print one JSON object instead of a page", \
	  TW_OPTION_AT(type, member.form) }
#define TW_OPTION_CSV(type, member, rows) \
	{ .name = "csv", .sets = TW_FORM_CSV, \
	  .help = "Print a line for each " rows " instead of a page", \
	  TW_OPTION_AT(type, member.form) }
#define TW_OPTION_HTML(type, member) \
	{ .name = "html", .kind = TW_OPTION_FILE, .value = "FILE", .is_written = 1, \
	  .help = "Write the page as HTML to FILE, too", \
	  TW_OPTION_AT(type, member.html) }

#define TW_OPTION_FIO(type, member, does) \
	{ .name = "fio", .kind = TW_OPTION_PROGRAM, .value = "PROGRAM", \
	  .otherwise = "FIO of the environment, else fio", .help = does, \
	  TW_OPTION_AT(type, member) }

/* Add a warning for each obstacle between this program and the counter or the
 * system clock. Adds nothing if there is none. */
void tw_command_counter_warnings(struct tw_page *page,
				 const struct tw_counter_facts *counter);

#endif
