/* SPDX-License-Identifier: MIT */
/*
 * What all commands share. --quiet and --verbose leave out remarks, not errors or warnings,
 * and print what the library decides. The first Ctrl-C is remembered, the second one ends
 * the program at once, and no file of --output is left that is not complete. Fails if a
 * message is lost, or if something is printed unasked. Fails also if a command can't be
 * ended, if it ends in another way than by its signal, or if a file with content is lost.
 */
#include "command/command.h"

#include <fcntl.h>
#include <glob.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "diagnostics.h"
#include "tap.h"

#define FILE_NAME	"out"
#define NOT_ENDED	3

/* ---- messages ---- */

static void writes(const struct tw_common *common, const char *should, const char *what)
{
	FILE *own = stderr;
	char *is = NULL;
	size_t size;

	stderr = open_memstream(&is, &size);
	tap_ok(tw_command_take_common("test", common) == TW_GO_ON, "%s", what);
	tw_command_remark("test", "a %s", "remark");
	tw_command_fail("test", TW_EXIT_DATA, "an error\n");
	tw_say(TW_SAY_NOTE, "rate: decided");
	tw_say(TW_SAY_WARNING, "rate: not all");
	fclose(stderr);
	stderr = own;
	if (!tap_ok(!strcmp(is, should), "%s: what is printed", what))
		tap_note("is '%s'", is);
	free(is);
}

/* ---- signals ---- */

/* Like compare's busy loops: the new file, which takes its place when it is complete, is
 * their parent's. */
static void end_a_child(int number)
{
	pid_t child = fork();
	glob_t found;
	int status;

	if (child == 0) {
		raise(number);
		_exit(NOT_ENDED);
	}
	waitpid(child, &status, 0);
	if (!WIFSIGNALED(status) || glob("*.part", 0, NULL, &found))
		_exit(1);
}

/* Do what the letters say, each of them one step. */
static void act(const char *steps, int number)
{
	const struct tw_common common = { .output = FILE_NAME };

	signal(number, SIG_DFL);
	for (; *steps; steps++)
		switch (*steps) {
		case 'i':
			signal(number, SIG_IGN);
			break;
		case 'o':
			if (tw_command_take_common("test", &common) != TW_GO_ON)
				_exit(1);
			break;
		case 'c':
			tw_command_catch_interrupts();
			break;
		case 's':
			raise(number);
			break;
		case '?':
		case '!':
			if (tw_command_is_interrupted() != (*steps == '?'))
				_exit(2);
			break;
		case 'p':
			printf("so far\n");
			/* As a command that prints in parts. */
			tw_command_finish("test", TW_EXIT_GOOD);
			break;
		case 'f':
			end_a_child(number);
			break;
		case 'e':
			tw_command_end("test", TW_EXIT_SOFTWARE);
			break;
		}
	_exit(NOT_ENDED);
}

static const struct {
	const char *steps;
	int ends;			/* 1: by the signal */
	int is_kept;			/* 1: the file has content before */
	off_t size;			/* of the file; -1: there is none */
	const char *what;
} cases[] = {
	{ "ocs?s", 1, 0, -1, "the second one ends, no file" },
	{ "css", 1, 0, -1, "without --output" },
	{ "ocpss", 1, 0, 7, "what was printed stays" },
	{ "ocs?s", 1, 1, 4, "what was in the file stays" },
	/* As under nohup and in jobs in the background. */
	{ "iocss!e", 0, 0, -1, "ignored ones stay so" },
	{ "os", 1, 0, -1, "one that is not caught, no file" },
	{ "ofs", 1, 0, -1, "a child leaves the file" },
};

static void ends(size_t i, int number)
{
	struct stat file = { .st_size = -1 };
	int fd, status, end;
	pid_t child;

	if (cases[i].is_kept) {
		fd = open(FILE_NAME, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
		if (write(fd, "kept", 4) != 4)
			tap_note("no file could be made");
		close(fd);
	}
	child = fork();
	if (child == 0)
		act(cases[i].steps, number);
	waitpid(child, &status, 0);
	end = WIFSIGNALED(status) ? WTERMSIG(status) : -WEXITSTATUS(status);
	if (stat(FILE_NAME, &file))
		file.st_size = -1;
	unlink(FILE_NAME);
	if (!tap_ok(end == (cases[i].ends ? number : -NOT_ENDED) &&
		    file.st_size == cases[i].size, "%s, signal %d", cases[i].what, number))
		tap_note("ended by %d, file of %lld bytes", end, (long long)file.st_size);
}

int main(void)
{
	char folder[] = "/tmp/tickwise-test.XXXXXX";

	if (!mkdtemp(folder) || chdir(folder))
		return 1;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		ends(i, SIGINT);
		ends(i, SIGTERM);
		/* SIGHUP is never caught. */
		if (!strchr(cases[i].steps, 'c'))
			ends(i, SIGHUP);
	}
	if (chdir("/") || rmdir(folder))
		return 1;
	writes(&(struct tw_common) { .output = "-" },
	       "tickwise test: a remark\ntickwise test: an error?\n", "neither");
	writes(&(struct tw_common) { .is_verbose = 1 },
	       "tickwise test: a remark\ntickwise test: an error?\n"
	       "tickwise test: rate: decided\n"
	       "tickwise test: warning: rate: not all\n", "--verbose");
	writes(&(struct tw_common) { .is_quiet = 1 },
	       "tickwise test: an error?\ntickwise test: rate: decided\n"
	       "tickwise test: warning: rate: not all\n", "--quiet, too");
	return tap_done();
}
