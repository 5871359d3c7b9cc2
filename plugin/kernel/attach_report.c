// SPDX-License-Identifier: GPL-2.0
/*
 * The report as files and as a page: see attach_report.h.
 */
#include "kernel/attach_report.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command/child.h"
#include "command/command.h"

/* Also where there is no /dev/stdin. */
#define INPUT	"/proc/self/fd/0"

static int fail(const char *path, int error)
{
	fprintf(stderr, "tickwise attach: %s: %s\n", path, strerror(error));
	return TW_EXIT_IO;
}

static int write_json(const json_t *json, FILE *file)
{
	errno = 0;
	if (json_dumpf(json, file, 0) || putc('\n', file) == EOF || fflush(file))
		return errno ? errno : EIO;
	return 0;
}

static int write_file(const json_t *json, const char *path)
{
	FILE *file = fopen(path, "we");
	int error;

	if (!file)
		return fail(path, errno);
	error = write_json(json, file);
	if (fclose(file) && !error)
		error = errno;
	return error ? fail(path, error) : TW_EXIT_GOOD;
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

/* The `tickwise` that is built or installed with us, else the one that the shell would
 * take. */
static pid_t start_report(char *html, struct streams *streams)
{
	static const char *const places[] = { "/tickwise", "/../../bin/tickwise" };
	char own[PATH_MAX], path[PATH_MAX + 32];
	char *argv[] = { path, "report", html ? html : INPUT, html ? INPUT : NULL,
			 NULL };
	ssize_t length = readlink("/proc/self/exe", own, sizeof(own) - 1);
	pid_t pid;

	own[length > 0 ? length : 0] = '\0';
	if (strrchr(own, '/'))
		*strrchr(own, '/') = '\0';
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		snprintf(path, sizeof(path), "%s%s", own, places[i]);
		pid = tw_child_start(argv, SIGTERM, prepare, streams);
		if (pid > 0)
			return pid;
	}
	argv[0] = "tickwise";
	return tw_child_start(argv, SIGTERM, prepare, streams);
}

static int run_report(int input, const char *html_path, FILE *out)
{
	struct streams streams = { .input = input, .output = fileno(out) };
	char *html = NULL;
	int status;
	pid_t pid;

	if (html_path && asprintf(&html, "--html=%s", html_path) < 0)
		return fail("report", ENOMEM);
	fflush(out);
	pid = start_report(html, &streams);
	free(html);
	if (pid < 0) {
		fprintf(stderr, "tickwise attach: can't run tickwise report: %s\n",
			strerror(-pid));
		return TW_EXIT_SOFTWARE;
	}
	status = tw_child_wait(pid);
	if (status < 0)
		return fail("report", -status);
	return WIFEXITED(status) ? WEXITSTATUS(status) : TW_EXIT_SOFTWARE;
}

int tw_attach_print_report(const json_t *json, const char *json_path,
			   const char *html_path, FILE *out)
{
	int memory, error, code = TW_EXIT_GOOD;
	FILE *file;

	if (json_path)
		code = write_file(json, json_path);
	memory = memfd_create("tickwise-attach", MFD_CLOEXEC);
	file = memory < 0 ? NULL : fdopen(memory, "w");
	if (!file)
		return fail("report", errno);
	error = write_json(json, file);
	if (error)
		code = fail("report", error);
	else if (lseek(memory, 0, SEEK_SET) == 0 && code == TW_EXIT_GOOD)
		code = run_report(memory, html_path, out);
	fclose(file);
	return code;
}
