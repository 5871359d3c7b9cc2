/* SPDX-License-Identifier: MIT */
/*
 * The options that mean the same in every command (options.h): applies them to
 * the program. Only this file keeps their values.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "command/command.h"
#include "command/output/progress.h"

/* For --output. */
static const char *made_path;		/* a file that did not exist before; or NULL */
static pid_t made_by;
static int has_file;

static int is_quiet;

/* @context: the command's name. */
static void print_diagnostics(void *context, int level, const char *message)
{
	tw_command_fail(context, TW_EXIT_GOOD, "%s%s", level == TW_SAY_WARNING ?
			"warning: " : "", message);
}

/* Remove an output file that was made and is still empty, when a signal ends
 * the program. A child with this handler leaves the file to its parent. */
static void remove_made(int signal)
{
	if (getpid() == made_by && lseek(fileno(stdout), 0, SEEK_CUR) == 0)
		unlink(made_path);
	raise(signal);
}

static void remove_made_at(int signal)
{
	/* The raised signal has its default action, which ends the program, and
	 * is not delayed. */
	const struct sigaction remove = {
		.sa_handler = remove_made,
		.sa_flags = (int)(SA_RESETHAND | SA_NODEFER),
	};
	struct sigaction before;

	if (sigaction(signal, NULL, &before) == 0 && before.sa_handler == SIG_DFL)
		sigaction(signal, &remove, NULL);
}

/*
 * Open the output. The old content of the file stays until there is output: the
 * file is not emptied here. stdout becomes another stream. Descriptor 1 stays,
 * since programs that this one runs print to it.
 */
static int open_output(const char *name, const char *path)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	FILE *file;

	if (fd < 0 && errno == ENOENT) {
		fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		made_path = fd >= 0 ? path : NULL;
	}
	file = fd >= 0 ? fdopen(fd, "w") : NULL;
	if (!file)
		return tw_command_fail(name, TW_EXIT_IO, "can't write %s: %s", path,
				       strerror(errno));
	stdout = file;
	has_file = 1;
	if (!made_path)
		return TW_GO_ON;
	made_by = getpid();
	remove_made_at(SIGINT);
	remove_made_at(SIGTERM);
	remove_made_at(SIGHUP);
	remove_made_at(SIGQUIT);
	return TW_GO_ON;
}

int tw_command_take_common(const char *name, const struct tw_common *common)
{
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

void tw_command_end(void)
{
	off_t length;

	if (!has_file)
		return;
	fflush(stdout);
	length = lseek(fileno(stdout), 0, SEEK_CUR);
	/* Cut off the rest of a longer earlier output. A device or a pipe can't
	 * be cut, which is no error. */
	if (length > 0 && ftruncate(fileno(stdout), length) < 0)
		errno = 0;
	if (length == 0 && made_path)
		unlink(made_path);
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
