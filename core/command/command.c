/* SPDX-License-Identifier: MIT */
/*
 * What subcommands share: they read options, catch signals, and end with a message and all
 * their output written. Only this file keeps the values of the options that mean the same
 * in every command (options.h).
 */
#include "command/command.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/allocate.h"
#include "base/plain_text.h"
#include "base/private_folder.h"
#include "base/write_file.h"
#include "command/output/page.h"

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
static struct sigaction before[TW_LENGTH(caught)];

/* Remember it, so that the result so far can be printed. Leave a second signal to the
 * action that was there before, which ends the program: one size can be measured for a
 * minute. */
static void remember(int signal)
{
	interrupted = 1;
	for (size_t i = 0; i < TW_LENGTH(caught); i++)
		if (caught[i] == signal)
			sigaction(signal, &before[i], NULL);
}

void tw_command_catch_interrupts(void)
{
	const struct sigaction action = { .sa_handler = remember,
					  .sa_flags = (int)SA_RESTART };

	for (size_t i = 0; i < TW_LENGTH(caught); i++) {
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

char *tw_command_private_folder(const char *name)
{
	char at[PATH_MAX], *path = tw_private_folder(tw_format("tickwise-%s", name), at);

	if (!path)
		tw_command_fail(name, TW_EXIT_IO, "no temporary folder in %s (TMPDIR): %s", at,
				errno == EPERM ? TW_OTHERS_CAN_REPLACE : strerror(errno));
	return path;
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

	for (size_t i = 0; i < TW_LENGTH(handled); i++) {
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

/* ---- the result ---- */

static int write_html(FILE *file, const void *page)
{
	tw_output_html(page, file);
	return 0;
}

int tw_command_show(const char *name, const struct tw_wanted *wanted,
		    struct tw_page *page, const struct tw_table *table, json_t *json)
{
	int code, error = 0;

	/* The page and the object may go to a file. CSV has no place for a mark. */
	if (tw_command_is_interrupted()) {
		tw_page_warning(page, "the measurement was interrupted: this is what was "
				"measured until then.");
		json_object_set_new(json, "interrupted", json_true());
	}
	if (wanted->form == TW_FORM_JSON && wanted->is_lines)
		for (size_t i = 0; i < json_array_size(json); i++)
			tw_output_json(json_incref(json_array_get(json, i)), stdout, 0);
	else if (wanted->form == TW_FORM_JSON)
		tw_output_json(json_incref(json), stdout, JSON_INDENT(2));
	else if (wanted->form == TW_FORM_CSV)
		tw_output_csv(table, stdout);
	else
		tw_output_text(page, stdout);
	/* First: if the page can't be written, the result is not lost. */
	code = tw_command_finish(name, TW_EXIT_GOOD);
	if (wanted->html)
		error = tw_must(tw_output_file(wanted->html, write_html, page));
	if (error)
		code = tw_command_fail(name, TW_EXIT_IO, "can't write %s: %s", wanted->html,
				       tw_file_error(-error));
	tw_page_free(page);
	json_decref(json);
	if (code == TW_EXIT_GOOD && tw_command_is_interrupted())
		return tw_command_interrupted(name, 1);
	return code;
}

void tw_command_counter_warnings(struct tw_page *page,
				 const struct tw_counter_facts *counter)
{
	const char *text = tw_text(TW_ENUM_COUNTER_STATE, counter->state);

	if (counter->state == TW_COUNTER_TRAPPED)
		tw_page_warning(page, "%s, %.0f ns each time.", text,
				counter->read_cost_ns);
	else if (counter->state == TW_COUNTER_COARSE)
		tw_page_warning(page, "the counter moves in steps of %.0f ns.",
				counter->step_ns);
	else if (counter->state != TW_COUNTER_OK)
		tw_page_warning(page, "%s.", text);
	if (counter->clock_is_call == 1)
		tw_page_warning(page, "clock_gettime() is a real system call here, of "
				"%.0f ns: the vDSO is off or can't read the kernel's "
				"clocksource.", counter->clock_cost_ns);
	if (counter->emulated)
		tw_page_warning(page, "another program translates this one: the counter "
				"is that program's.");
	if (counter->time_namespace == 1)
		tw_page_warning(page, "a time namespace shifts CLOCK_MONOTONIC by %+"
				PRId64 " ns, CLOCK_BOOTTIME by %+" PRId64 " ns: compare "
				"stamps only with each other.", counter->monotonic_offset_ns,
				counter->boottime_offset_ns);
}
