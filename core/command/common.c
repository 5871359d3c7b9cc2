/* SPDX-License-Identifier: MIT */
/*
 * The options that mean the same in every command (options.h): applies them to
 * the program. Only this file keeps their values. Also checks that all output was
 * written.
 */
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "command/command.h"
#include "base/allocate.h"
#include "base/write_file.h"
#include "command/output/progress.h"

/* The file of --output, which is stdout then. */
static struct tw_output output;

static int is_quiet;

/* @context: the command's name. */
static void print_diagnostics(void *context, int level, const char *message)
{
	tw_command_fail(context, TW_EXIT_GOOD, "%s%s", level == TW_SAY_WARNING ?
			"warning: " : "", message);
}

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

static void handle(int signal, void (*handler)(int signal))
{
	/* A signal raised in its handler has its default action, which ends the
	 * program, and is not delayed. */
	const struct sigaction action = {
		.sa_handler = handler,
		.sa_flags = handler == remove_files ?
			(int)(SA_RESETHAND | SA_NODEFER) : SA_RESTART,
	};
	struct sigaction before;

	if (sigaction(signal, NULL, &before) == 0 && before.sa_handler == SIG_DFL)
		sigaction(signal, &action, NULL);
}

static void handle_signals(void)
{
	static const int ends[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE };

	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++)
		handle(ends[i], remove_files);
	handle(SIGXFSZ, let_it_fail);
}

/* Open the output. stdout becomes another stream. Descriptor 1 stays, since programs
 * that this one runs print to it. */
static int open_output(const char *name, const char *path)
{
	int error = tw_must(tw_output_open(&output, path));

	if (error)
		return tw_command_fail(name, TW_EXIT_IO, "can't write %s: %s", path,
				       tw_file_error(-error));
	stdout = output.stream;
	return TW_GO_ON;
}

int tw_command_take_common(const char *name, const struct tw_common *common)
{
	handle_signals();
	if (common->is_quiet) {
		is_quiet = 1;
		tw_progress_forbid();
	}
	if (common->is_verbose)
		tw_set_diagnostics(print_diagnostics, (void *)name);
	if (!common->output || strcmp(common->output, "-") == 0)
		return TW_GO_ON;
	return open_output(name, common->output);
}

const struct tw_output *tw_command_output(void)
{
	return &output;
}

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
	if (!output.stream)
		return code;
	code = tw_command_finish(name, code);
	/* A file that was not published is removed. */
	tw_output_close(&output, -ECANCELED);
	return code;
}

int tw_command_is_quiet(void)
{
	return is_quiet;
}

void tw_command_remark(const char *name, const char *format, ...)
{
	char message[TW_COMMAND_MESSAGE];
	va_list args;

	if (is_quiet)
		return;
	va_start(args, format);
	vsnprintf(message, sizeof(message), format, args);
	va_end(args);
	tw_command_fail(name, TW_EXIT_GOOD, "%s", message);
}
