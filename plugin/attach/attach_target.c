// SPDX-License-Identifier: GPL-2.0
/*
 * The process that is measured: see attach.h.
 */
#include "attach/attach.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "array.h"
#include "base/allocate.h"
#include "command/command.h"
#include "command/output/page.h"
#include "base/plain_text.h"
#include "command/own_files.h"
#include "text_file.h"
#include "timespec.h"

#define NOT_FOUND	127	/* the exit codes of a shell */
#define NOT_RUN		126

#define PF_KTHREAD	0x200000	/* include/linux/sched.h: in the flags of /proc/PID/stat */

static void read_program(pid_t pid, char program[16])
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/comm", (int)pid);
	*program = '\0';
	tw_text_file_begin(path, program, 16);
	program[strcspn(program, "\n")] = '\0';
}

static int open_pidfd(pid_t pid)
{
	int fd = (int)syscall(SYS_pidfd_open, pid, 0);

	return fd < 0 ? -errno : fd;
}

static bool has_ended(const struct tw_attach_process *process)
{
	struct pollfd end = { .fd = process->fd, .events = POLLIN };

	return poll(&end, 1, 0) > 0;
}

int tw_attach_may_see(const struct tw_attach_process *process)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)process->pid);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	/* A folder that is not there does not tell: /proc may hide others' processes. */
	if (fd < 0)
		return has_ended(process) ? -ESRCH : -EPERM;
	close(fd);
	return 0;
}

/* Return the number after @name in a file of a process's folder, or the word of that number if
 * @name is NULL; 0: it is not there. */
static uint64_t number_in(pid_t pid, const char *file, const char *name, unsigned word)
{
	char path[64], text[2048];
	const char *at = text;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, file);
	tw_text_file_begin(path, text, sizeof(text));
	/* The name of the program may have spaces. */
	if (strrchr(text, ')'))
		at = strrchr(text, ')');
	if (name)
		at = strstr(text, name);
	for (; at && word; word--) {
		at = strchr(at, ' ');
		at += at != NULL;
	}
	return at ? strtoull(at, NULL, 10) : 0;
}

static const char *add(struct tw_attach_target *target, long number)
{
	const struct tw_attach_process process = { (pid_t)number, open_pidfd((pid_t)number) };
	struct tw_attach_process *more;
	int error;

	if (process.fd == -EINVAL || process.fd == -ENOENT)
		return tw_format("%ld is a thread, not a process", number);
	if (number_in((pid_t)number, "stat", NULL, 7) & PF_KTHREAD)
		return tw_format("process %ld is a thread of the kernel, whose waits are in no "
				 "system call", number);
	error = process.fd < 0 ? process.fd : tw_attach_may_see(&process);
	if (error == -EPERM)
		return tw_format("process %ld belongs to another user: run as root "
				 "or with CAP_SYS_PTRACE", number);
	if (error)
		return tw_format("process %ld: %s", number, strerror(-error));
	more = tw_one_more(&target->all, &target->count);
	if (!more)
		return "out of memory";
	*more = process;
	if (target->count == 1) {
		read_program((pid_t)number, target->program);
		tw_plain_text(target->program);
	}
	return NULL;
}

const char *tw_attach_to(struct tw_attach_target *target, char **pids, size_t count)
{
	const char *problem = NULL;

	*target = (struct tw_attach_target) { .go = -1, .cgroup = -1 };
	for (size_t i = 0; i < count && !problem; i++) {
		char *end;
		const long number = strtol(pids[i], &end, 10);

		if (end == pids[i] || *end || number < 1 || number > 1 << 22)
			return tw_format("'%s' is not the number of a process (to start a "
					 "program: -- PROGRAM)", pids[i]);
		problem = add(target, number);
	}
	return problem;
}

const char *tw_attach_to_name(struct tw_attach_target *target, const char *name)
{
	const struct dirent *entry;
	const char *problem = NULL;
	struct rlimit limit;
	char program[16];
	DIR *folder = opendir("/proc");

	/* Each process takes a descriptor, and a database may have a thousand. */
	if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
	*target = (struct tw_attach_target) { .go = -1, .cgroup = -1 };
	while (folder && (entry = readdir(folder))) {
		const long number = strtol(entry->d_name, NULL, 10);

		if (number < 1 || number == getpid())
			continue;
		read_program((pid_t)number, program);
		if (strncmp(program, name, sizeof(program) - 1) == 0)
			problem = add(target, number);
	}
	if (folder)
		closedir(folder);
	if (target->count)
		return NULL;
	return problem ? problem : tw_format("no process has the name %s", name);
}

const char *tw_attach_to_cgroup(struct tw_attach_target *target, const char *path)
{
	char copy[PATH_MAX];

	*target = (struct tw_attach_target) { .go = -1, .cgroup = tw_cgroup_open(path) };
	if (target->cgroup < 0)
		return tw_format("%.128s: %s", path, target->cgroup == -ENOTTY ?
				 "not a folder of a cgroup file system" : strerror(-target->cgroup));
	snprintf(copy, sizeof(copy), "%s", path);
	snprintf(target->program, sizeof(target->program), "%s", basename(copy));
	tw_plain_text(target->program);
	return NULL;
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

const char *tw_attach_start(struct tw_attach_target *target, char **argv)
{
	const char *slash = strrchr(argv[0], '/');
	int ends[2], error;

	*target = (struct tw_attach_target) { .own = true, .argv = argv, .cgroup = -1 };
	if (pipe2(ends, O_CLOEXEC))
		return strerror(errno);
	error = tw_child_begin(&target->child, argv, 0, wait_for_go, &ends[1], ends[0]);
	close(ends[0]);
	target->go = ends[1];
	if (!error) {
		target->all = tw_zalloc(1, sizeof(*target->all));
		target->count = 1;
		target->all->pid = target->child.pid;
		target->all->fd = open_pidfd(target->child.pid);
		error = target->all->fd < 0 ? target->all->fd : 0;
	}
	if (error)
		return tw_format("can't start %s: %s", argv[0], strerror(-error));
	snprintf(target->program, sizeof(target->program), "%.15s",
		 slash ? slash + 1 : argv[0]);
	return NULL;
}

int tw_attach_go(struct tw_attach_target *target)
{
	if (target->go < 0)
		return 0;
	if (write(target->go, "", 1) != 1)
		kill(target->child.pid, SIGKILL);	/* otherwise it would wait forever */
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
	for (size_t i = 0; i < target->count; i++) {
		if (!has_ended(&target->all[i]))
			return false;
	}
	return target->count;
}

int tw_attach_exit_code(struct tw_attach_target *target)
{
	int status;

	if (target->go >= 0)
		close(target->go);
	target->go = -1;
	if (target->error)
		return target->error == -ENOENT ? NOT_FOUND : NOT_RUN;
	status = tw_child_wait(target->child.pid);
	if (status < 0)
		return NOT_RUN;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

void tw_attach_tell_less(const struct tw_attach_target *target)
{
	const pid_t pid = target->own || !target->count ? 0 : target->all->pid;
	const uint64_t ticks = number_in(pid, "stat", NULL, 40);

	if (!pid)
		tw_command_remark(tw_attach_options.command, target->own ? "%s was not started" :
				  "/proc tells nothing of the cgroup %s as a whole", target->program);
	if (!pid || !number_in(pid, "schedstat", NULL, 0))
		return;
	tw_command_remark(tw_attach_options.command, "process %d (%s%s) so far, by /proc: %llu read "
			  "calls, %llu write calls, %s read from storage; the main thread: %s on "
			  "CPUs, %s ready to run%s%s. What it waits for: sudo tickwise attach %d",
			  (int)pid, target->program, target->count == 1 ? "" :
			  tw_format(", the first of %zu", target->count),
			  (unsigned long long)number_in(pid, "io", "syscr: ", 1),
			  (unsigned long long)number_in(pid, "io", "syscw: ", 1),
			  TW_SAY_BYTES(number_in(pid, "io", "\nread_bytes: ", 1)),
			  TW_SAY_NS(number_in(pid, "schedstat", NULL, 0)),
			  TW_SAY_NS(number_in(pid, "schedstat", NULL, 1)),
			  ticks ? ", waiting for block devices " : "",
			  ticks ? TW_SAY_NS(ticks * (TW_NS_PER_SECOND / 100)) : "", (int)pid);
}
