/* SPDX-License-Identifier: MIT */
/*
 * What signals do to a command: the first Ctrl-C is remembered, the second one ends
 * the program at once, and no file of --output is left that is not complete. Fails if
 * a command can't be ended, or if it ends in another way than by its signal. Fails also
 * if an incomplete file stays, or if a file with content is lost.
 *
 * Each case is a process of its own, which sends the signals to itself.
 */
#include <fcntl.h>
#include <glob.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command/command.h"
#include "tap.h"

#define FILE_NAME	"out"
#define NOT_ENDED	3

static void open_output(void)
{
	const struct tw_common common = { .output = FILE_NAME };

	if (tw_command_take_common("test", &common) != TW_GO_ON)
		_exit(1);
}

static void twice(int signal)
{
	open_output();
	tw_command_catch_interrupts();
	raise(signal);
	if (!tw_command_is_interrupted())
		_exit(2);
	raise(signal);
}

static void once_where_none_is_caught(int signal)
{
	open_output();
	raise(signal);
}

static void twice_with_output(int signal)
{
	open_output();
	tw_command_catch_interrupts();
	printf("so far\n");
	/* As `check --watch` does after each check. */
	tw_command_finish("test", TW_EXIT_GOOD);
	raise(signal);
	raise(signal);
}

static void twice_without_file(int signal)
{
	tw_command_catch_interrupts();
	raise(signal);
	raise(signal);
}

/* The file that takes its place when it is complete. */
static int new_file_is_there(void)
{
	glob_t found;
	int is_there = glob("*.part", 0, NULL, &found) == 0;

	globfree(&found);
	return is_there;
}

/* Like compare's busy loops: the file is their parent's. */
static void in_a_child(int signal)
{
	int status;
	pid_t child;

	open_output();
	child = fork();
	if (child == 0) {
		raise(signal);
		_exit(NOT_ENDED);
	}
	waitpid(child, &status, 0);
	if (!WIFSIGNALED(status) || !new_file_is_there())
		_exit(1);
	raise(signal);
}

/* Ignored signals, as under nohup and in jobs in the background. */
static void ignored(int number)
{
	signal(number, SIG_IGN);
	open_output();
	tw_command_catch_interrupts();
	raise(number);
	raise(number);
	tw_command_end("test", TW_EXIT_SOFTWARE);
	_exit(tw_command_is_interrupted() ? 1 : NOT_ENDED);
}

/* Return how it ended: a signal, or the negative of an exit code. */
static int end_of(void (*run)(int), int number)
{
	pid_t child = fork();
	int status;

	if (child == 0) {
		signal(number, SIG_DFL);
		run(number);
		_exit(NOT_ENDED);
	}
	waitpid(child, &status, 0);
	return WIFSIGNALED(status) ? WTERMSIG(status) : -WEXITSTATUS(status);
}

/* Check the end and the file, and remove it. @size: of the file; -1: there is none. */
static void ends(void (*run)(int), int number, int by, off_t size, const char *what)
{
	struct stat file = { .st_size = -1 };
	int end = end_of(run, number);

	if (stat(FILE_NAME, &file))
		file.st_size = -1;
	unlink(FILE_NAME);
	if (!tap_ok(end == by && file.st_size == size, "%s, signal %d", what, number))
		tap_note("ended by %d, file of %lld bytes", end,
			 (long long)file.st_size);
}

static void make_kept(void)
{
	FILE *file = fopen(FILE_NAME, "we");

	if (file) {
		fputs("kept", file);
		fclose(file);
	}
}

int main(void)
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };
	char folder[] = "/tmp/tickwise-test.XXXXXX";

	if (!mkdtemp(folder) || chdir(folder))
		return 1;
	for (int i = 0; i < 2; i++) {
		ends(twice, numbers[i], numbers[i], -1, "the second one ends, no file");
		ends(twice_without_file, numbers[i], numbers[i], -1, "without --output");
		ends(twice_with_output, numbers[i], numbers[i], 7, "what was printed stays");
		make_kept();
		ends(twice, numbers[i], numbers[i], 4, "what was in the file stays");
		ends(ignored, numbers[i], -NOT_ENDED, -1, "ignored ones stay so");
	}
	for (int i = 0; i < 3; i++) {
		ends(once_where_none_is_caught, numbers[i], numbers[i], -1,
		     "one that is not caught, no file");
		ends(in_a_child, numbers[i], numbers[i], -1, "a child leaves the file");
	}
	if (chdir("/") || rmdir(folder))
		return 1;
	return tap_done();
}
