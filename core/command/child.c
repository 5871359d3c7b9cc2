/* SPDX-License-Identifier: MIT */
/*
 * Runs programs as children. posix_spawn() also reports a program that can't be
 * run, but can't make a child end with its parent.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command/child.h"
#include "text_file.h"

int tw_child_begin(struct tw_child *child, char *const *argv, int end_signal,
		   void (*prepare)(void *context, int fd), void *context, int fd)
{
	pid_t parent = getpid();
	int ends[2], error;
	ssize_t written;

	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	child->pid = fork();
	if (child->pid == 0) {
		if (end_signal)
			prctl(PR_SET_PDEATHSIG, end_signal);
		/* If the parent ended before prctl(), no signal is sent. */
		if (end_signal && getppid() != parent)
			_exit(1);
		signal(SIGPIPE, SIG_DFL);
		if (!argv)
			close(ends[1]);
		if (prepare)
			prepare(context, fd);
		if (!argv)
			_exit(0);
		/* Whoever follows it shows this name until the program runs. */
		prctl(PR_SET_NAME, basename(argv[0]));
		execvp(argv[0], argv);
		/* Tell the parent why; a program that runs has closed the pipe. */
		error = errno;
		written = write(ends[1], &error, sizeof(error));
		(void)written;
		_exit(127);
	}
	error = errno;
	close(ends[1]);
	child->told = ends[0];
	if (child->pid > 0)
		return 0;
	close(ends[0]);
	return -error;
}

int tw_child_has_begun(struct tw_child *child)
{
	int error = 0;
	ssize_t got;

	do {
		got = read(child->told, &error, sizeof(error));
	} while (got < 0 && errno == EINTR);
	close(child->told);
	if (got != (ssize_t)sizeof(error))
		return 0;
	tw_child_wait(child->pid);
	return -error;
}

pid_t tw_child_start(char *const *argv, int end_signal,
		     void (*prepare)(void *context, int fd), void *context, int *from)
{
	int ends[2] = { -1, -1 }, error;
	struct tw_child child;

	if (from && pipe2(ends, O_CLOEXEC))
		return -errno;
	error = tw_child_begin(&child, argv, end_signal, prepare, context, ends[1]);
	if (!error)
		error = tw_child_has_begun(&child);
	if (from) {
		close(ends[1]);
		if (error)
			close(ends[0]);
		else
			*from = ends[0];
	}
	return error ? error : child.pid;
}

int tw_child_wait(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	return status;
}

static void prepare_to_ask(void *context, int fd)
{
	int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);

	(void)context;
	/* This program's standard input may be a job file. */
	if (nothing >= 0)
		dup2(nothing, STDIN_FILENO);
	dup2(fd, STDOUT_FILENO);
	dup2(fd, STDERR_FILENO);
}

char *tw_child_output(char *const *argv, int *code)
{
	int from, status;
	pid_t pid = tw_child_start(argv, SIGTERM, prepare_to_ask, NULL, &from);
	char *text;

	if (pid < 0) {
		errno = -pid;
		return NULL;
	}
	text = tw_text_all(from, TW_TEXT_MAX, NULL);
	close(from);
	status = tw_child_wait(pid);
	*code = status >= 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	return text;
}

int tw_child_is_program(const char *path)
{
	struct stat status;

	return access(path, X_OK) == 0 && stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

int tw_child_find(char *path, const char *name)
{
	const char *list = getenv("PATH");
	char standard[256] = "";
	size_t length;

	if (!list) {
		confstr(_CS_PATH, standard, sizeof(standard));
		list = standard;
	}
	for (; !strchr(name, '/'); list += length + 1) {
		length = strcspn(list, ":");
		snprintf(path, PATH_MAX, "%.*s%s%s", (int)length, list, length ? "/" : "", name);
		if (tw_child_is_program(path))
			return 1;
		if (!list[length])
			break;
	}
	snprintf(path, PATH_MAX, "%s", name);
	return strchr(name, '/') != NULL;
}
