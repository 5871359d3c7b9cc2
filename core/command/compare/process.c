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
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command/compare/compare.h"

/* In the child. */
static void end_with_parent(pid_t parent)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	signal(SIGPIPE, SIG_DFL);
}

static void execute(const char *const *argv, const char *const *set, int from,
		    int to)
{
	int null_fd = open("/dev/null", O_RDWR);
	int i;

	for (i = 0; set[i]; i++)
		putenv((char *)set[i]);
	for (i = 0; i < 3; i++)
		dup2(null_fd, i);
	/* Across exec, whichever number it has. */
	if (from == to)
		fcntl(from, F_SETFD, 0);
	else
		dup2(from, to);
	execvp(argv[0], (char *const *)argv);
	_exit(127);
}

static int start(struct tw_compare_process *process, int ends[2])
{
	pid_t parent = getpid();
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	pid = fork();
	if (pid == 0) {
		end_with_parent(parent);
		return 1;
	}
	close(ends[1]);
	if (pid < 0) {
		close(ends[0]);
		return -EAGAIN;
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
	int ends[2];
	int ret = start(process, ends);

	if (ret == 1)
		execute(argv, set, ends[1], fd);
	return ret;
}

int tw_compare_fork(struct tw_compare_process *process,
		    void (*run)(void *context, int fd), void *context)
{
	int ends[2];
	int ret = start(process, ends);

	if (ret == 1) {
		run(context, ends[1]);
		_exit(0);
	}
	return ret;
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
