/* SPDX-License-Identifier: MIT */
/*
 * Processes of tickwise compare: fio, and children with a clock of their own or
 * with nothing but load. Each is killed by the kernel when this program ends, so
 * an interruption leaves nothing behind.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command/child.h"
#include "command/compare/compare.h"

/* What a program finds when it begins. */
struct beginning {
	const char *const *set;
	int from, to;
};

static void prepare(void *context)
{
	const struct beginning *beginning = context;
	int null_fd = open("/dev/null", O_RDWR);
	int i;

	for (i = 0; beginning->set[i]; i++)
		putenv((char *)beginning->set[i]);
	for (i = 0; i < 3; i++)
		dup2(null_fd, i);
	/* Across exec, whichever number it has. */
	if (beginning->from == beginning->to)
		fcntl(beginning->from, F_SETFD, 0);
	else
		dup2(beginning->from, beginning->to);
}

/* Of a child that writes to the pipe @ends; -errno: there is none. */
static int listen_to(struct tw_compare_process *process, pid_t pid, int ends[2])
{
	close(ends[1]);
	if (pid < 0) {
		close(ends[0]);
		return pid;
	}
	process->pid = pid;
	process->says = fdopen(ends[0], "r");
	if (!process->says) {
		close(ends[0]);
		tw_compare_end(process, SIGKILL);
		return -ENOMEM;
	}
	/* What lies in a buffer is not seen by poll(). */
	setvbuf(process->says, NULL, _IONBF, 0);
	return 0;
}

int tw_compare_spawn(struct tw_compare_process *process,
		     const char *const *argv, const char *const *set, int fd)
{
	struct beginning beginning = { .set = set, .to = fd };
	int ends[2];

	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	beginning.from = ends[1];
	return listen_to(process, tw_child_start((char *const *)argv, SIGKILL,
						 prepare, &beginning), ends);
}

int tw_compare_fork(struct tw_compare_process *process,
		    void (*run)(void *context, int fd), void *context)
{
	pid_t parent = getpid(), pid;
	int ends[2];

	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	pid = fork();
	if (pid == 0) {
		tw_child_end_with(parent, SIGKILL);
		signal(SIGPIPE, SIG_DFL);
		run(context, ends[1]);
		_exit(0);
	}
	return listen_to(process, pid < 0 ? -errno : pid, ends);
}

int tw_compare_read(struct tw_compare_process *process, char *line, int size,
		    uint64_t patience_ns)
{
	struct pollfd readable = {
		.fd = fileno(process->says),
		.events = POLLIN,
	};
	int ready;

	do {
		ready = poll(&readable, 1, (int)(patience_ns / 1000000));
	} while (ready < 0 && errno == EINTR);
	return ready > 0 && fgets(line, size, process->says) ? 0 : -1;
}

int tw_compare_end(struct tw_compare_process *process, int by_signal)
{
	int status = 0;

	if (!process->pid)
		return -1;
	if (by_signal)
		kill(process->pid, by_signal);
	while (waitpid(process->pid, &status, 0) < 0 && errno == EINTR)
		;
	if (process->says)
		fclose(process->says);
	*process = (struct tw_compare_process) { 0 };
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}
