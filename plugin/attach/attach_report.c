// SPDX-License-Identifier: GPL-2.0
/*
 * The report as files and as a page: see attach_report.h.
 */
#include "attach/attach_report.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command/child.h"
#include "command/command.h"
#include "base/allocate.h"
#include "base/write_file.h"
#include "command/output/page.h"
#include "command/own_files.h"

/* Standard input, also where /dev/stdin does not exist. */
#define INPUT	"/proc/self/fd/0"

#define fail(code, ...)	tw_command_fail(tw_attach_options.command, code, __VA_ARGS__)

static int write_json(FILE *file, const void *context)
{
	json_t *const *json = context;

	tw_output_json(json_incref(*json), file, 0);
	return 0;
}

static int write_file(json_t *json, const char *path)
{
	int error = tw_must(tw_output_file(path, write_json, &json));

	return error ? fail(TW_EXIT_IO, "%s: %s", path, tw_file_error(-error)) :
		       TW_EXIT_GOOD;
}

static int print_json(json_t *json, FILE *out)
{
	tw_output_json(json_incref(json), out, JSON_INDENT(2));
	fflush(out);
	return ferror(out) ? fail(TW_EXIT_IO, "can't write the output: %s", strerror(EIO)) :
			     TW_EXIT_GOOD;
}

/* Write @json to a file in memory, and seek to its beginning. Return its descriptor or
 * -errno. */
static int make_input(const json_t *json)
{
	int error, input = memfd_create("tickwise-attach", MFD_CLOEXEC);

	if (input < 0)
		return -errno;
	errno = 0;
	if (json_dumpfd(json, input, 0) == 0 && lseek(input, 0, SEEK_SET) == 0)
		return input;
	error = errno ? -errno : -EIO;
	close(input);
	return error;
}

struct streams {
	int input, output;
};

static void prepare(void *context)
{
	const struct streams *streams = context;

	if (dup2(streams->input, 0) < 0 || dup2(streams->output, 1) < 0)
		_exit(TW_EXIT_SOFTWARE);
}

/* Start `tickwise report`: the `tickwise` that was built or installed with this program,
 * else the one in PATH. */
static pid_t start_report(char *html, struct streams *streams)
{
	char shells[] = "tickwise", *own = tw_own_file(shells, X_OK);
	char *argv[] = { own ? own : shells, "report", html ? html : INPUT,
			 html ? INPUT : NULL, NULL };
	pid_t pid = tw_child_start(argv, SIGTERM, prepare, streams);

	free(own);
	return pid;
}

/* Run `tickwise report`. @out: for the page; NULL: the page is not wanted. */
static int run_report(int input, const char *html_path, FILE *out)
{
	struct streams streams = {
		.input = input,
		.output = out ? fileno(out) : open("/dev/null", O_WRONLY | O_CLOEXEC),
	};
	char *html = html_path ? tw_format("--html=%s", html_path) : NULL;
	int status;
	pid_t pid;

	if (out)
		fflush(out);
	pid = start_report(html, &streams);
	if (!out)
		close(streams.output);
	if (pid < 0)
		return fail(TW_EXIT_SOFTWARE, "can't run tickwise report: %s",
			    strerror(-pid));
	status = tw_child_wait(pid);
	if (status < 0)
		return fail(TW_EXIT_IO, "report: %s", strerror(-status));
	return WIFEXITED(status) ? WEXITSTATUS(status) : TW_EXIT_SOFTWARE;
}

int tw_attach_print_report(json_t *json, const char *json_path,
			   const char *html_path, FILE *out)
{
	int input, page, code = TW_EXIT_GOOD;

	if (json_path && strcmp(json_path, "-") == 0) {
		code = print_json(json, out);
		out = NULL;
	} else if (json_path) {
		code = write_file(json, json_path);
	}
	if (!out && !html_path)
		return code;
	input = make_input(json);
	if (input < 0)
		return fail(TW_EXIT_IO, "report: %s", strerror(-input));
	/* Also if the JSON can't be written: the result is not lost. */
	page = run_report(input, html_path, out);
	close(input);
	return code == TW_EXIT_GOOD ? page : code;
}
