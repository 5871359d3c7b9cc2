/* SPDX-License-Identifier: MIT */
/*
 * A child is a program that runs, or there is no child and the reason is known.
 * Fails if a program that can't be run passes for one that ended, or if such a
 * child is left. Fails also if a child's output is lost, or if a program that has
 * to wait does not; or if a folder is taken for a program.
 */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command/child.h"
#include "tap.h"
#include "text_file.h"

#define SHELL(text)	((char *const []) { "sh", "-c", text, NULL })

static char *const missing[] = { "/nowhere/at/all", NULL };
static char *const folder[] = { "/", NULL };

static int has_no_child(void)
{
	return waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD;
}

/* Without a @word, a program writes. */
static void put_word(void *word, int fd)
{
	if (word ? write(fd, word, strlen(word)) < 0 : dup2(fd, STDOUT_FILENO) < 0)
		_exit(1);
}

static void piped(char *const *argv, void *word, const char *should, const char *what)
{
	int from = -1;
	pid_t pid = tw_child_start(argv, SIGKILL, put_word, word, &from);
	char *text = pid > 0 ? tw_text_all(from, TW_TEXT_MAX, NULL) : NULL;

	tap_ok(text && !strcmp(text, should) && tw_child_wait(pid) == 0, "%s", what);
	free(text);
	close(from);
}

static void wait_for_byte(void *context, int fd)
{
	char byte;

	(void)context;
	if (read(fd, &byte, 1) != 1)
		_exit(4);
}

static void two_steps(void)
{
	struct tw_child child;
	int ends[2];

	if (pipe(ends))
		exit(1);
	tap_ok(!tw_child_begin(&child, missing, 0, wait_for_byte, NULL, ends[0]),
	       "a program that waits has begun nothing");
	tap_ok(waitpid(child.pid, NULL, WNOHANG) == 0, "and runs on");
	tap_ok(write(ends[1], "", 1) == 1 && tw_child_has_begun(&child) == -ENOENT,
	       "it could not begin");
	tap_ok(has_no_child(), "and is gone");
	tap_ok(!tw_child_begin(&child, SHELL("exit 3"), 0, wait_for_byte, NULL, ends[0]) &&
	       write(ends[1], "", 1) == 1 && !tw_child_has_begun(&child) &&
	       WEXITSTATUS(tw_child_wait(child.pid)) == 3, "another one does");
}

/* As a shell, and as execvp(), which passes over a folder. */
static void find(void)
{
	char path[PATH_MAX], top[] = "child.XXXXXX", name[64];

	if (!mkdtemp(top) || snprintf(name, sizeof(name), "%s/sh", top) < 0 || mkdir(name, 0700))
		exit(1);
	setenv("PATH", top, 1);
	tap_ok(!tw_child_find(path, "sh") && !strcmp(path, "sh"), "a folder of its name is no program");
	snprintf(path, sizeof(path), "%s:/bin:/usr/bin", top);
	setenv("PATH", path, 1);
	tap_ok(tw_child_find(path, "sh") && *path == '/', "the program behind it is found");
	rmdir(name);
	rmdir(top);
}

int main(void)
{
	char word[] = "a word";
	int from = -1, status;
	pid_t pid;

	signal(SIGPIPE, SIG_IGN);
	pid = tw_child_start(SHELL("exit 3"), 0, NULL, NULL, NULL);
	status = pid > 0 ? tw_child_wait(pid) : -1;
	tap_ok(WIFEXITED(status) && WEXITSTATUS(status) == 3, "a program runs");
	tap_ok(tw_child_wait(pid) == -ECHILD, "and has ended once");
	tap_ok(tw_child_start(missing, 0, NULL, NULL, NULL) == -ENOENT, "none of that name");
	tap_ok(tw_child_start(folder, SIGKILL, NULL, NULL, NULL) == -EACCES, "a folder");
	tap_ok(tw_child_start(missing, 0, put_word, NULL, &from) == -ENOENT &&
	       from == -1, "none of that name with a pipe");
	tap_ok(has_no_child(), "nothing is left to be waited for");
	pid = tw_child_start(SHELL("kill -PIPE $$"), 0, NULL, NULL, NULL);
	status = pid > 0 ? tw_child_wait(pid) : 0;
	tap_ok(WIFSIGNALED(status) && WTERMSIG(status) == SIGPIPE,
	       "SIGPIPE is not ignored there");
	piped(SHELL("echo some words"), NULL, "some words\n", "what a program writes");
	piped(NULL, word, "a word", "what a child without a program writes");
	two_steps();
	find();
	return tap_done();
}
