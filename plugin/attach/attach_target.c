// SPDX-License-Identifier: GPL-2.0
/*
 * The process that is measured: see attach.h.
 */
#include "attach/attach.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command/command.h"
#include "base/plain_text.h"
#include "command/own_files.h"
#include "text_file.h"

#define NOT_FOUND	127	/* the exit codes of a shell */
#define NOT_RUN		126

static void read_program(struct tw_attach_target *target)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/comm", (int)target->pid);
	tw_text_file_begin(path, target->program, sizeof(target->program));
	target->program[strcspn(target->program, "\n")] = '\0';
	tw_plain_text(target->program);
}

static int open_pidfd(pid_t pid)
{
	int fd = (int)syscall(SYS_pidfd_open, pid, 0);

	return fd < 0 ? -errno : fd;
}

bool tw_attach_may_see(pid_t pid)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return false;
	close(fd);
	return true;
}

const char *tw_attach_to(struct tw_attach_target *target, const char *pid,
			 char *why, size_t size)
{
	char *end;
	long number = strtol(pid, &end, 10);

	*target = (struct tw_attach_target) { .pidfd = -1, .go = -1 };
	if (end == pid || *end || number < 1 || number > 1 << 22) {
		snprintf(why, size, "'%s' is not the number of a process (to start a "
			 "program: -- PROGRAM)", pid);
		return why;
	}
	target->pid = (pid_t)number;
	target->pidfd = open_pidfd(target->pid);
	if (target->pidfd == -EINVAL || target->pidfd == -ENOENT)
		snprintf(why, size, "%ld is a thread, not a process", number);
	else if (target->pidfd < 0)
		snprintf(why, size, "process %ld: %s", number,
			 strerror(-target->pidfd));
	else if (!tw_attach_may_see(target->pid))
		snprintf(why, size, "process %ld belongs to another user: run as root "
			 "or with CAP_SYS_PTRACE", number);
	else
		why = NULL;
	if (!why)
		read_program(target);
	return why;
}

/* Wait in the child. A byte comes when everything is ready; the pipe ends without a byte
 * if the parent has ended. */
static void wait_for_go(void *parents_end, int fd)
{
	char byte;

	close(*(const int *)parents_end);
	if (read(fd, &byte, 1) != 1)
		_exit(NOT_RUN);
}

const char *tw_attach_start(struct tw_attach_target *target, char **argv,
			    char *why, size_t size)
{
	const char *slash = strrchr(argv[0], '/');
	int ends[2], error;

	*target = (struct tw_attach_target) { .pidfd = -1, .own = true,
					      .argv = argv };
	if (pipe2(ends, O_CLOEXEC)) {
		snprintf(why, size, "%s", strerror(errno));
		return why;
	}
	error = tw_child_begin(&target->child, argv, 0, wait_for_go, &ends[1], ends[0]);
	close(ends[0]);
	target->go = ends[1];
	if (!error) {
		target->pid = target->child.pid;
		target->pidfd = open_pidfd(target->pid);
		error = target->pidfd < 0 ? target->pidfd : 0;
	}
	if (error) {
		snprintf(why, size, "can't start %s: %s", argv[0],
			 strerror(-error));
		return why;
	}
	snprintf(target->program, sizeof(target->program), "%.15s",
		 slash ? slash + 1 : argv[0]);
	return NULL;
}

int tw_attach_go(struct tw_attach_target *target)
{
	if (target->go < 0)
		return 0;
	if (write(target->go, "", 1) != 1)
		kill(target->pid, SIGKILL);	/* otherwise it would wait forever */
	close(target->go);
	target->go = -1;
	target->error = tw_child_has_begun(&target->child);
	if (target->error)
		tw_command_fail(tw_attach_options.command, TW_EXIT_NO_INPUT,
				"can't run %s: %s", target->argv[0],
				strerror(-target->error));
	return target->error;
}

bool tw_attach_has_ended(const struct tw_attach_target *target)
{
	struct pollfd end = { .fd = target->pidfd, .events = POLLIN };

	return poll(&end, 1, 0) > 0;
}

int tw_attach_exit_code(struct tw_attach_target *target)
{
	int status;

	if (target->go >= 0)
		close(target->go);
	target->go = -1;
	if (target->error)
		return target->error == -ENOENT ? NOT_FOUND : NOT_RUN;
	status = tw_child_wait(target->pid);
	if (status < 0)
		return NOT_RUN;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
