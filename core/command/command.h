/* SPDX-License-Identifier: MIT */
/*
 * The subcommands of `tickwise`, and the exit codes they share.
 */
#ifndef TW_COMMAND_H
#define TW_COMMAND_H

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

struct tw_command {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *does;
	const struct tw_options *options;
};

/* argv[0] is the subcommand's own name. Each returns an enum tw_exit. */
int tw_command_check(int argc, char **argv);
int tw_command_calibrate(int argc, char **argv);
int tw_command_bench(int argc, char **argv);
int tw_command_compare(int argc, char **argv);
int tw_command_diff(int argc, char **argv);
int tw_command_doctor(int argc, char **argv);
int tw_command_memlat(int argc, char **argv);
int tw_command_profile(int argc, char **argv);
int tw_command_run(int argc, char **argv);
int tw_command_report(int argc, char **argv);
int tw_command_attach(int argc, char **argv);
int tw_command_engine(int argc, char **argv);
int tw_command_build_engine(int argc, char **argv);
int tw_command_kernel_helper(int argc, char **argv);

extern const struct tw_options tw_bench_options;
extern const struct tw_options tw_calibrate_options;
extern const struct tw_options tw_check_options;
extern const struct tw_options tw_compare_options;
extern const struct tw_options tw_diff_options;
extern const struct tw_options tw_doctor_options;
extern const struct tw_options tw_engine_options;
extern const struct tw_options tw_build_engine_options;
extern const struct tw_options tw_memlat_options;
extern const struct tw_options tw_profile_options;
extern const struct tw_options tw_report_options;
extern const struct tw_options tw_run_options;

/* What of a message is printed; names of files may be long. */
#define TW_COMMAND_MESSAGE	2048

/* "tickwise NAME: ..." and a newline on stderr; returns @code. */
int tw_command_fail(const char *name, int code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* The same for what is no error and no warning; with --quiet nothing. */
void tw_command_remark(const char *name, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
int tw_command_is_quiet(void);

struct tw_page;

/* A warning for each thing that stands between this program and the counter or the
 * system clock; nothing where all is well. */
void tw_command_counter_warnings(struct tw_page *page,
				 const struct tw_counter_facts *counter);

/**
 * tw_command_options - read the command line, print --help and errors
 * @arguments: what is left; NULL for a command that takes none
 *
 * Return: TW_GO_ON; else the command has ended, with this enum tw_exit.
 */
int tw_command_options(const struct tw_options *options, void *values, char **argv,
		       struct tw_arguments *arguments);

#define TW_GO_ON	(-1)

/* Obey the common options: tw_command_options() calls it. TW_GO_ON, or an enum tw_exit
 * after a message. */
int tw_command_take_common(const char *name, const struct tw_common *common);

/* At the end of the program: finish the file of --output. */
void tw_command_end(void);

/* A page as a file of HTML; returns an enum tw_exit, after a message if it could not be
 * written. */
int tw_command_html_file(const char *name, const struct tw_page *page,
			 const char *path);

/* SIGINT and SIGTERM from now on: the first one is remembered, the second one
 * ends the program (interrupt.c). What is ignored stays so. */
void tw_command_catch_interrupts(void);
int tw_command_is_interrupted(void);
/* TW_ENOUGH after that, else 0: for the library's functions that are told of progress. */
int tw_command_has_enough(void);
/* The message for it; TW_EXIT_UNDECIDED. @has_result: something is printed. */
int tw_command_interrupted(const char *name, int has_result);

/* Flush stdout; TW_EXIT_IO with a message if it could not all be written
 * (a full disk, a closed pipe), else @code. */
int tw_command_finish(const char *name, int code);

#endif
