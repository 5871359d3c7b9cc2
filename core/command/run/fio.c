/* SPDX-License-Identifier: MIT */
/*
 * Runs fio: once to its end, as a child that gets this program's streams, its
 * directory and its signals; and for what it has to say about its options.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <fcntl.h>

#include "command/command.h"
#include "command/run/run.h"

/* What would end this program. */
static const int forwarded[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };

/* In the child. Returns only if the program can't be run; the parent is told
 * through @pipe_fd, which is closed by a successful exec. */
static void execute(char *const *argv, int pipe_fd)
{
	ssize_t written;
	int error;

	/* main() ignores it, and that would be handed down. */
	signal(SIGPIPE, SIG_DFL);
	execvp(argv[0], argv);
	error = errno;
	written = write(pipe_fd, &error, sizeof(error));
	(void)written;
	_exit(127);
}

/* 0, or why the program could not be run. */
static int wait_for_exec(int pipe_fd)
{
	int error = 0;
	ssize_t got;

	do {
		got = read(pipe_fd, &error, sizeof(error));
	} while (got < 0 && errno == EINTR);
	return got == (ssize_t)sizeof(error) ? error : 0;
}

/* ---- asking ---- */

static char *read_all(int fd)
{
	char *text = NULL;
	size_t length = 0;
	ssize_t got;
	char byte;

	do {
		got = read(fd, &byte, 1);
		text = tw_run_grow(text, length, 1);
		text[length++] = got == 1 ? byte : '\0';
	} while (got == 1 || (got < 0 && errno == EINTR));
	text[length - 1] = '\0';
	return text;
}

static void execute_into(char *const *argv, int output, int pipe_fd)
{
	int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);

	/* A job file may come from standard input. */
	if (nothing >= 0)
		dup2(nothing, STDIN_FILENO);
	dup2(output, STDOUT_FILENO);
	dup2(output, STDERR_FILENO);
	execute(argv, pipe_fd);
}

char *tw_run_output_of(char *const *argv)
{
	int output[2], error[2], why;
	char *text;
	pid_t pid;

	if (pipe2(output, O_CLOEXEC))
		return NULL;
	if (pipe2(error, O_CLOEXEC)) {
		close(output[0]);
		close(output[1]);
		return NULL;
	}
	pid = fork();
	if (pid == 0)
		execute_into(argv, output[1], error[1]);
	why = pid < 0 ? errno : 0;
	close(output[1]);
	close(error[1]);
	if (!why)
		why = wait_for_exec(error[0]);
	text = read_all(output[0]);
	close(output[0]);
	close(error[0]);
	if (pid > 0)
		waitpid(pid, NULL, 0);
	errno = why;
	return why ? NULL : text;
}

/* ---- running ---- */

static pid_t start(char *const *argv, const sigset_t *mask, int *why)
{
	int error[2];
	pid_t pid;

	*why = 0;
	if (pipe2(error, O_CLOEXEC)) {
		*why = errno;
		return -1;
	}
	pid = fork();
	if (pid == 0) {
		/* If this program is killed, fio shall not go on unseen. */
		prctl(PR_SET_PDEATHSIG, SIGTERM);
		sigprocmask(SIG_SETMASK, mask, NULL);
		execute(argv, error[1]);
	}
	if (pid < 0)
		*why = errno;
	close(error[1]);
	if (pid > 0)
		*why = wait_for_exec(error[0]);
	close(error[0]);
	return pid;
}

/*
 * All signals that matter are blocked and taken here one after another, so
 * there is no moment at which one of them could end this program and leave the
 * copies. What was typed at the terminal has reached fio already.
 */
static int wait_for_end(pid_t pid, const sigset_t *signals)
{
	siginfo_t signal_info;
	int status;

	for (;;) {
		pid_t ended = waitpid(pid, &status, WNOHANG);

		if (ended == pid)
			return status;
		if (sigwaitinfo(signals, &signal_info) < 0 ||
		    signal_info.si_signo == SIGCHLD ||
		    signal_info.si_code == SI_KERNEL)
			continue;
		kill(pid, signal_info.si_signo);
	}
}

static int run(char *const *argv, const sigset_t *signals,
	       const sigset_t *mask, pid_t *pid, int *status)
{
	int why;

	*pid = start(argv, mask, &why);
	if (*pid > 0)
		*status = wait_for_end(*pid, signals);
	if (why)
		return tw_command_fail(TW_RUN_NAME, TW_EXIT_SOFTWARE,
				       "can't run %s: %s", argv[0],
				       strerror(why));
	return TW_EXIT_GOOD;
}

int tw_run_fio(struct tw_run_arguments *arguments, const char *fio, pid_t *pid,
	       int *status)
{
	sigset_t signals, mask;
	char *directory;
	int code;

	sigemptyset(&signals);
	sigaddset(&signals, SIGCHLD);
	for (size_t i = 0; i < sizeof(forwarded) / sizeof(*forwarded); i++)
		sigaddset(&signals, forwarded[i]);
	/* Ignored, it would never come, and the status be lost. */
	signal(SIGCHLD, SIG_DFL);
	sigprocmask(SIG_BLOCK, &signals, &mask);
	code = tw_run_copy(arguments, &directory);
	if (code == TW_EXIT_GOOD)
		code = run(tw_run_fio_arguments(arguments, fio), &signals,
			   &mask, pid, status);
	tw_run_remove_copies(arguments, directory);
	sigprocmask(SIG_SETMASK, &mask, NULL);
	return code;
}
