/* SPDX-License-Identifier: MIT */
/*
 * Runs fio. A run of jobs is a child that gets this program's streams, its
 * directory and its signals. Another function returns what fio prints about its
 * options.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <fcntl.h>

#include "command/child.h"
#include "command/command.h"
#include "command/run/run.h"
#include "text_file.h"

/* Signals that would end this program. */
static const int forwarded[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };

/* ---- asking ---- */

static void prepare_to_ask(void *context, int fd)
{
	int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);

	(void)context;
	/* A job file may come from standard input. This fio must not read
	 * it. */
	if (nothing >= 0)
		dup2(nothing, STDIN_FILENO);
	dup2(fd, STDOUT_FILENO);
	dup2(fd, STDERR_FILENO);
}

char *tw_run_output_of(char *const *argv)
{
	int from;
	pid_t pid = tw_child_start_piped(argv, SIGTERM, prepare_to_ask, NULL,
					 &from);
	char *text;

	if (pid < 0) {
		errno = -pid;
		return NULL;
	}
	text = tw_text_all(from, NULL);
	close(from);
	tw_child_wait(pid);
	return text;
}

/* ---- running ---- */

struct start {
	sigset_t mask;
	struct tw_run_arguments *arguments;
};

static void prepare_to_run(void *context)
{
	const struct start *start = context;
	int out = start->arguments->is_kept ? start->arguments->kept :
		  start->arguments->is_quiet ? open("/dev/null", O_WRONLY | O_CLOEXEC) : -1;

	if (out >= 0)
		dup2(out, STDOUT_FILENO);
	sigprocmask(SIG_SETMASK, &start->mask, NULL);
}

/*
 * Wait for the end of fio. All signals that matter are blocked and taken here
 * one after another. So no signal can end this program before it has removed
 * the copies. Signals from the terminal have reached fio already; others are
 * sent on.
 */
static int wait_for_end(pid_t pid, const sigset_t *signals, int *was_interrupted)
{
	siginfo_t signal_info;
	int status;

	for (;;) {
		pid_t ended = waitpid(pid, &status, WNOHANG);

		if (ended == pid)
			return status;
		if (sigwaitinfo(signals, &signal_info) < 0 ||
		    signal_info.si_signo == SIGCHLD)
			continue;
		*was_interrupted = 1;
		if (signal_info.si_code == SI_KERNEL)
			continue;
		kill(pid, signal_info.si_signo);
	}
}

static int run(char *const *argv, const sigset_t *signals, struct start *start,
	       pid_t *pid, int *status)
{
	/* If this program is killed, fio gets SIGTERM. */
	*pid = tw_child_start(argv, SIGTERM, prepare_to_run, start);
	if (*pid < 0)
		return tw_command_fail(TW_RUN_NAME, TW_EXIT_SOFTWARE,
				       "can't run %s: %s", argv[0],
				       strerror(-*pid));
	*status = wait_for_end(*pid, signals, &start->arguments->was_interrupted);
	return TW_EXIT_GOOD;
}

int tw_run_fio(struct tw_run_arguments *arguments, const char *fio, pid_t *pid,
	       int *status)
{
	struct start start = { .arguments = arguments };
	sigset_t signals;
	char *directory;
	int code;

	sigemptyset(&signals);
	sigaddset(&signals, SIGCHLD);
	for (size_t i = 0; i < sizeof(forwarded) / sizeof(*forwarded); i++)
		sigaddset(&signals, forwarded[i]);
	sigprocmask(SIG_BLOCK, &signals, &start.mask);
	code = tw_run_copy(arguments, &directory);
	if (code == TW_EXIT_GOOD)
		code = run(tw_run_fio_arguments(arguments, fio), &signals,
			   &start, pid, status);
	tw_run_remove_copies(arguments, directory);
	sigprocmask(SIG_SETMASK, &start.mask, NULL);
	return code;
}
