/* SPDX-License-Identifier: MIT */
/*
 * What subcommands share: they read options, catch signals, and end with a message and all
 * their output written. Only this file keeps the values of the options that mean the same
 * in every command (options.h).
 */
#include "command/command.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/allocate.h"
#include "base/plain_text.h"
#include "base/write_file.h"
#include "command/output/progress.h"

/* The file of --output, which is stdout then. */
static struct tw_output output;

static int is_quiet;

/* ---- messages ---- */

/* Messages quote names and contents of files, but stay on one line. */
static void print_message(const char *name, const char *format, va_list args)
{
	char message[TW_COMMAND_MESSAGE];

	vsnprintf(message, sizeof(message), format, args);
	fprintf(stderr, "tickwise%s%s: %s\n", name ? " " : "",
		name ? name : "", tw_plain_text(message));
}

int tw_command_fail(const char *name, int code, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	print_message(name, format, args);
	va_end(args);
	return code;
}

void tw_command_remark(const char *name, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	if (!is_quiet)
		print_message(name, format, args);
	va_end(args);
}

int tw_command_is_quiet(void)
{
	return is_quiet;
}

/* @context: the command's name. */
static void print_diagnostics(void *context, int level, const char *message)
{
	tw_command_fail(context, TW_EXIT_GOOD, "%s%s", level == TW_SAY_WARNING ?
			"warning: " : "", message);
}

/* ---- Ctrl-C during a measurement ---- */

static volatile sig_atomic_t interrupted;

static const int caught[] = { SIGINT, SIGTERM };

#define CAUGHT	(sizeof(caught) / sizeof(*caught))

static struct sigaction before[CAUGHT];

/* Remember it, so that the result so far can be printed. Leave a second signal to the
 * action that was there before, which ends the program: one size can be measured for a
 * minute. */
static void remember(int signal)
{
	interrupted = 1;
	for (size_t i = 0; i < CAUGHT; i++)
		if (caught[i] == signal)
			sigaction(signal, &before[i], NULL);
}

void tw_command_catch_interrupts(void)
{
	const struct sigaction action = { .sa_handler = remember,
					  .sa_flags = (int)SA_RESTART };

	for (size_t i = 0; i < CAUGHT; i++) {
		sigaction(caught[i], NULL, &before[i]);
		if (before[i].sa_handler != SIG_IGN)
			sigaction(caught[i], &action, NULL);
	}
}

int tw_command_is_interrupted(void)
{
	return interrupted;
}

int tw_command_has_enough(void)
{
	return interrupted ? TW_ENOUGH : 0;
}

int tw_command_interrupted(const char *name, int has_result)
{
	return tw_command_fail(name, TW_EXIT_UNDECIDED, "interrupted: %s", has_result ?
			       "this is what was measured until then" :
			       "nothing was measured");
}

/* ---- the output ---- */

int tw_command_finish(const char *name, int code)
{
	int error = 0;

	if (code >= TW_EXIT_USAGE)
		return code;
	errno = 0;
	/* What was in the file stays if there is nothing to print. */
	if (output.stream && ftello(output.stream) != 0)
		error = -tw_output_publish(&output);
	else if (fflush(stdout) || ferror(stdout))
		error = errno ? errno : EIO;
	return error ? tw_command_fail(name, TW_EXIT_IO, "can't write the output: %s",
				       tw_file_error(error)) : code;
}

int tw_command_end(const char *name, int code)
{
	code = tw_command_finish(name, code);
	/* A file that was not published is removed. */
	if (output.stream)
		tw_output_close(&output, -ECANCELED);
	return code;
}

/* ---- options ---- */

/* Remove files that are not complete when a signal ends the program. */
static void remove_files(int signal)
{
	tw_output_remove_all();
	raise(signal);
}

/* Let a write beyond the limit on sizes of files fail. A program that this one runs has
 * the default action, unlike with SIG_IGN. */
static void let_it_fail(int signal)
{
	(void)signal;
}

static void handle_signals(void)
{
	static const int handled[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXFSZ };
	struct sigaction is;

	for (size_t i = 0; i < sizeof(handled) / sizeof(*handled); i++) {
		int ends = handled[i] != SIGXFSZ;
		/* A signal raised in its handler has its default action, which ends the
		 * program, and is not delayed. */
		const struct sigaction action = {
			.sa_handler = ends ? remove_files : let_it_fail,
			.sa_flags = ends ? (int)(SA_RESETHAND | SA_NODEFER) : SA_RESTART,
		};

		if (sigaction(handled[i], NULL, &is) == 0 && is.sa_handler == SIG_DFL)
			sigaction(handled[i], &action, NULL);
	}
}

int tw_command_take_common(const char *name, const struct tw_common *common)
{
	int error;

	handle_signals();
	if (common->is_quiet) {
		is_quiet = 1;
		tw_progress_forbid();
	}
	if (common->is_verbose)
		tw_set_diagnostics(print_diagnostics, (void *)name);
	if (!common->output || strcmp(common->output, "-") == 0)
		return TW_GO_ON;
	error = tw_must(tw_output_open(&output, common->output));
	if (error)
		return tw_command_fail(name, TW_EXIT_IO, "can't write %s: %s",
				       common->output, tw_file_error(-error));
	/* Descriptor 1 stays, since programs that this one runs print to it. */
	stdout = output.stream;
	return TW_GO_ON;
}

/* Return 1 if stdout goes to the file @path, by --output or by the shell. */
static int is_stdout(const char *path)
{
	struct stat is, other;

	if (output.place && tw_output_are_one(output.place, path))
		return 1;
	return fstat(fileno(stdout), &is) == 0 && stat(path, &other) == 0 &&
	       S_ISREG(other.st_mode) && other.st_dev == is.st_dev &&
	       other.st_ino == is.st_ino;
}

/* Return the path that an option has, if a file will be written there; NULL: none will. */
static const char *path_of(const struct tw_option *option, const void *values)
{
	const char *path = NULL;

	if (option->is_written)
		memcpy(&path, (const char *)values + option->at, sizeof(path));
	return path && strcmp(path, "-") == 0 ? NULL : path;
}

static int try_file(const char *name, const char *path)
{
	struct tw_output tried;
	struct stat status;
	int error;

	/* The reader of a pipe would see its end. */
	if (stat(path, &status) == 0 && S_ISFIFO(status.st_mode))
		return TW_GO_ON;
	error = tw_must(tw_output_open(&tried, path));
	if (error)
		return tw_command_fail(name, TW_EXIT_IO, "can't write %s: %s", path,
				       tw_file_error(-error));
	tw_output_close(&tried, -ECANCELED);
	return TW_GO_ON;
}

static int try_files(const struct tw_options *options, const void *values)
{
	int code = TW_GO_ON;

	for (const struct tw_option *option = options->table;
	     option->name && code == TW_GO_ON; option++) {
		const char *path = path_of(option, values), *two = NULL, *other;

		if (!path)
			continue;
		if (is_stdout(path))
			two = "the output goes to this file, too";
		for (const struct tw_option *first = options->table; first < option; first++) {
			other = path_of(first, values);
			if (other && tw_output_are_one(path, other))
				two = "two options name this file";
		}
		code = two ? tw_command_fail(options->command, TW_EXIT_USAGE,
					     "can't write %s: %s", path, two) :
			try_file(options->command, path);
	}
	return code;
}

int tw_command_options(const struct tw_options *options, void *values, char **argv,
		       struct tw_arguments *arguments)
{
	char problem[TW_OPTIONS_PROBLEM];
	struct tw_arguments none;
	int code;

	arguments = arguments ? arguments : &none;
	switch (tw_options_read(options, values, argv, arguments, problem)) {
	case 0:
		code = tw_command_take_common(options->command, &arguments->common);
		return code == TW_GO_ON ? try_files(options, values) : code;
	case TW_OPTIONS_HELP:
		tw_options_print_help(options, stdout);
		return tw_command_finish(options->command, TW_EXIT_GOOD);
	default:
		return tw_command_fail(options->command, TW_EXIT_USAGE, "%s", problem);
	}
}
