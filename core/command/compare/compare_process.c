/* SPDX-License-Identifier: MIT */
/*
 * Processes of tickwise compare, and the progress that is shown meanwhile: fio, and
 * children that have a clock or produce load. The kernel kills each of them when this
 * program ends, so no process remains after an interruption.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/allocate.h"
#include "command/child.h"
#include "command/command.h"
#include "command/compare/compare_parts.h"
#include "timespec.h"

static void show_step(struct tw_compare_result *result)
{
	uint64_t in_step_ns = tw_clock_id_ns(CLOCK_MONOTONIC) - result->since_ns;

	tw_progress_show(&result->line, tw_compare_part(result, (double)in_step_ns / 1e9),
			 "%s", result->step);
}

void tw_compare_step(struct tw_compare_result *result, double step_s, const char *what)
{
	result->done_s += result->step_s;
	result->step_s = step_s;
	result->since_ns = tw_clock_id_ns(CLOCK_MONOTONIC);
	result->step = what;
	show_step(result);
}

/* The environment and the descriptor of a new program. */
struct beginning {
	const char *const *set;
	int fd;
};

static void begin(void *context, int fd)
{
	const struct beginning *beginning = context;
	int null_fd = open("/dev/null", O_RDWR);

	/* The program leaves the terminal's group, so signals of the terminal
	 * reach only this one. */
	setpgid(0, 0);
	for (int i = 0; beginning->set[i]; i++)
		putenv((char *)beginning->set[i]);
	for (int i = 0; i < 3; i++)
		dup2(null_fd, i);
	/* Keep the descriptor across exec, under the expected number. */
	if (fd == beginning->fd)
		fcntl(fd, F_SETFD, 0);
	else
		dup2(fd, beginning->fd);
}

static int start(struct tw_compare_process *process, char *const *argv,
		 void (*prepare)(void *context, int fd), void *context)
{
	int from;
	pid_t pid = tw_child_start(argv, SIGKILL, prepare, context, &from);

	if (pid < 0)
		return pid;
	process->pid = pid;
	process->says = fdopen(from, "r");
	if (!process->says)
		tw_no_memory();
	/* poll() does not see data in a buffer. */
	setvbuf(process->says, NULL, _IONBF, 0);
	return 0;
}

int tw_compare_spawn(struct tw_compare_process *process,
		     const char *const *argv, const char *const *set, int fd)
{
	struct beginning beginning = { .set = set, .fd = fd };

	return start(process, (char *const *)argv, begin, &beginning);
}

int tw_compare_fork(struct tw_compare_process *process,
		    void (*run)(void *context, int fd), void *context)
{
	return start(process, NULL, run, context);
}

/* Time between two updates of the progress. */
#define SHOW_MS		200

int tw_compare_wait(struct tw_compare_process *process, uint64_t patience_ns,
		    struct tw_compare_result *result)
{
	const uint64_t begin_ns = tw_clock_id_ns(CLOCK_MONOTONIC);
	struct pollfd readable = {
		.fd = fileno(process->says),
		.events = POLLIN,
	};
	int ready;

	do {
		if (tw_command_is_interrupted())
			patience_ns = 0;
		ready = poll(&readable, 1, patience_ns ? SHOW_MS : 0);
		show_step(result);
	} while ((ready == 0 &&
		  tw_clock_id_ns(CLOCK_MONOTONIC) - begin_ns < patience_ns) ||
		 (ready < 0 && errno == EINTR));
	return ready > 0 ? 0 : -1;
}

int tw_compare_end(struct tw_compare_process *process, int by_signal)
{
	int status;

	if (!process->pid)
		return -1;
	if (by_signal)
		kill(process->pid, by_signal);
	status = tw_child_wait(process->pid);
	if (process->says)
		fclose(process->says);
	*process = (struct tw_compare_process) { 0 };
	return status >= 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}
