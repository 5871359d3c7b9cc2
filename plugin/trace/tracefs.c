/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An instance of tracefs: see trace.h.
 *
 * The kernel keeps an instance until a process removes it, and refuses to
 * remove it while one of its files is open. fio may end by a signal or, in some
 * versions, abort when a job was killed. So a small process waits until every
 * process of fio has ended, and then removes the instance.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <mntent.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "timespec.h"
#include "trace/trace.h"

#define PREFIX		"tickwise-"
#define PATH_SIZE	512
#define READ_SIZE	65536
#define CPU_KB		"1024"	/* of the ring, on each CPU */
#define NAMES		9	/* in addition to the first */
#define LEFT_OVER_AFTER_S	10
/* A file may be closed a little later than the pipe. This waits for a minute at
 * most. */
#define REMOVE_TRIES	60000
#define REMOVE_STEP_NS	1000000

/* The events. Those that a kernel does not have are left out. */
static const char *const events[] = {
	"sched/sched_switch", "sched/sched_wakeup",
	"irq/irq_handler_entry", "irq/irq_handler_exit",
	"irq/softirq_entry", "irq/softirq_exit",
	"block/block_rq_insert", "block/block_rq_issue",
	"block/block_rq_complete", "block/block_rq_requeue",
	/* The first of these is the name from Linux 6.3 on. */
	"io_uring/io_uring_submit_req", "io_uring/io_uring_submit_sqe",
	"io_uring/io_uring_complete",
	"workqueue/workqueue_execute_start", "workqueue/workqueue_execute_end",
};

#define EVENTS	(sizeof(events) / sizeof(*events))

/* The part in memory that all jobs share. */
struct shared {
	/* The owner of the stopped ring: job * 2^32 + process; 0: it runs. */
	_Atomic(uint64_t) stopper;
	/* CLOCK_MONOTONIC when events were recorded again; 0: never stopped. */
	_Atomic(uint64_t) again_ns;
};

static struct {
	char path[PATH_SIZE];
	bool made;
	int alive;			/* every process has this end of a pipe */
	int on;				/* tracing_on */
	int text;			/* trace_pipe */
	struct shared *shared;
	const char *why;		/* why there is no instance; NULL: not tried, or made */
	char reason[200];
} instance;

/* ---- finding the place --------------------------------------------------- */

/* Find where tracefs is mounted. Under debugfs the kernel mounts it by itself. */
static bool find_place(char *place, size_t size)
{
	FILE *mounts = setmntent("/proc/self/mounts", "r");
	const struct mntent *mount;
	bool found = false;

	while (mounts && !found && (mount = getmntent(mounts))) {
		const bool is_debugfs = strcmp(mount->mnt_type, "debugfs") == 0;

		if (!is_debugfs && strcmp(mount->mnt_type, "tracefs") != 0)
			continue;
		/* A path that is cut off does not exist. One that this user may not reach
		 * does. */
		snprintf(place, size, "%s%s/instances", mount->mnt_dir,
			 is_debugfs ? "/tracing" : "");
		found = access(place, F_OK) == 0 || errno == EACCES || errno == EPERM;
	}
	if (mounts)
		endmntent(mounts);
	return found;
}

/* Remove instances that are left over. That happens when a fio was killed together with the
 * process that should remove its instance, as when a container ends. Their names are those
 * that name_it() makes, and they are not new, so that nobody is about to open them. Whether
 * there is a process of that number tells nothing: the number may be of another namespace.
 * The kernel refuses while a file of an instance is open. */
static void remove_left_over(const char *place)
{
	DIR *directory = opendir(place);
	const struct dirent *entry;

	while (directory && (entry = readdir(directory))) {
		const char *number = entry->d_name + strlen(PREFIX);
		struct stat of;

		if (strncmp(entry->d_name, PREFIX, strlen(PREFIX)) == 0 &&
		    *number >= '0' && *number <= '9' &&
		    number[strspn(number, "0123456789-")] == '\0' &&
		    !fstatat(dirfd(directory), entry->d_name, &of, AT_SYMLINK_NOFOLLOW) &&
		    time(NULL) - of.st_mtime >= LEFT_OVER_AFTER_S)
			unlinkat(dirfd(directory), entry->d_name, AT_REMOVEDIR);
	}
	if (directory)
		closedir(directory);
}

/* ---- making it ----------------------------------------------------------- */

static int open_in(int directory, const char *name, int flags)
{
	int file = openat(directory, name, flags | O_CLOEXEC);

	return file < 0 ? -errno : file;
}

static int write_in(int directory, const char *name, const char *text)
{
	int file = open_in(directory, name, O_WRONLY);
	int error;

	if (file < 0)
		return file;
	error = write(file, text, strlen(text)) < 0 ? -errno : 0;
	close(file);
	return error;
}

/* Set up the instance. Return 0, or -errno with @what. */
static int set_up(int directory, const char **what)
{
	char name[80];
	int error;
	unsigned i;

	*what = "trace_clock";
	error = write_in(directory, *what, "mono");
	if (error)
		return error;
	*what = "buffer_size_kb";
	error = write_in(directory, *what, CPU_KB);
	if (error)
		return error;
	*what = "trace_pipe";
	instance.text = open_in(directory, *what, O_RDONLY | O_NONBLOCK);
	if (instance.text < 0)
		return instance.text;
	*what = "tracing_on";
	instance.on = open_in(directory, *what, O_WRONLY);
	if (instance.on < 0)
		return instance.on;
	/* At least one of the events has to be there. */
	*what = "events";
	error = -ENOENT;
	for (i = 0; i < EVENTS; i++) {
		int this_error;

		snprintf(name, sizeof(name), "events/%s/enable", events[i]);
		this_error = write_in(directory, name, "1");
		if (error)
			error = this_error;
	}
	return error;
}

/* ---- removing it --------------------------------------------------------- */

static void close_all_from(int first)
{
	long file = sysconf(_SC_OPEN_MAX);

	if (!syscall(SYS_close_range, first, ~0U, 0))
		return;
	while (--file >= first)
		close((int)file);
}

/* Wait, and remove the instance. Use only system calls: other threads of fio
 * may have held any lock at the fork. */
static void wait_and_remove(int pipe_end)
{
	const struct timespec step = { .tv_nsec = REMOVE_STEP_NS };
	unsigned tries = REMOVE_TRIES;
	char byte;

	prctl(PR_SET_NAME, "tickwise-trace");
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	setsid();
	if (chdir("/") || dup2(pipe_end, 0) < 0)
		_exit(1);
	close_all_from(1);
	while (read(0, &byte, 1) < 0 && errno == EINTR)
		;
	while (rmdir(instance.path) && errno == EBUSY && --tries)
		nanosleep(&step, NULL);
	_exit(0);
}

/* Start the process that removes the instance. Its parent is not fio, which
 * need not know of it. Return 0 or -errno. */
static int start_remover(void)
{
	int ends[2], status;
	pid_t child;

	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	child = fork();
	if (child == 0) {
		child = fork();
		if (child == 0)
			wait_and_remove(ends[0]);
		_exit(child < 0);
	}
	close(ends[0]);
	instance.alive = ends[1];
	if (child < 0)
		return -EAGAIN;
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	return status ? -EAGAIN : 0;
}

/* ---- the instance of this fio -------------------------------------------- */

static const char *refuse(const char *what, int error)
{
	snprintf(instance.reason, sizeof(instance.reason), "tracefs: %s: %s%s", what,
		 strerror(-error), error == -EACCES || error == -EPERM ?
		 " (the kernel's trace events are for root)" : "");
	return instance.reason;
}

/* Name the instance. A fio in another namespace of processes may have the same
 * number. */
static int name_it(const char *place)
{
	const long pid = getpid();
	unsigned i;

	snprintf(instance.path, sizeof(instance.path), "%s/" PREFIX "%ld", place,
		 pid);
	for (i = 1; mkdir(instance.path, 0700); i++) {
		if (errno != EEXIST || i > NAMES)
			return -errno;
		snprintf(instance.path, sizeof(instance.path),
			 "%s/" PREFIX "%ld-%u", place, pid, i);
	}
	return 0;
}

static const char *make(void)
{
	const char *what = "instances";
	char place[PATH_SIZE - 32];
	int directory, error;

	instance.shared = mmap(NULL, sizeof(*instance.shared), PROT_READ | PROT_WRITE,
			       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (instance.shared == MAP_FAILED)
		return refuse("memory", -errno);
	if (!find_place(place, sizeof(place)))
		return "tracefs is not mounted: mount -t tracefs tracefs "
		       "/sys/kernel/tracing, as root";
	remove_left_over(place);
	error = name_it(place);
	if (error)
		return refuse(what, error);
	instance.on = instance.text = instance.alive = -1;
	directory = open_in(AT_FDCWD, instance.path, O_RDONLY | O_DIRECTORY);
	error = directory < 0 ? directory : set_up(directory, &what);
	if (directory >= 0)
		close(directory);
	if (!error) {
		what = "a process that removes the instance";
		error = start_remover();
	}
	instance.made = !error;
	if (!error)
		return NULL;
	/* Those that were not opened are -1. */
	close(instance.on);
	close(instance.text);
	close(instance.alive);
	rmdir(instance.path);
	return refuse(what, error);
}

const char *tw_tracefs_make(void)
{
	if (!instance.made && !instance.why)
		instance.why = make();
	return instance.why;
}

/* ---- using it ------------------------------------------------------------ */

/* Start the ring again if the job that stopped it was killed: that job does not
 * do it. The ring has the events of that time, and must run before it can have
 * those of another slow I/O. */
static void take_over(uint64_t stopper, uint64_t own)
{
	if (kill((pid_t)(uint32_t)stopper, 0) && errno == ESRCH &&
	    atomic_compare_exchange_strong(&instance.shared->stopper, &stopper,
					   own))
		tw_tracefs_go_on();
}

bool tw_tracefs_stop(uint32_t job, uint32_t *other)
{
	const uint64_t own = (uint64_t)job << 32 | (uint32_t)getpid();
	uint64_t stopper = 0;

	if (!instance.made)
		return false;
	if (atomic_compare_exchange_strong(&instance.shared->stopper, &stopper,
					   own))
		return write(instance.on, "0", 1) == 1;
	*other = (uint32_t)(stopper >> 32);
	take_over(stopper, own);
	return false;
}

void tw_tracefs_go_on(void)
{
	if (write(instance.on, "1", 1) != 1)
		return;
	atomic_store(&instance.shared->again_ns, tw_clock_id_ns(CLOCK_MONOTONIC));
	atomic_store(&instance.shared->stopper, 0);
}

/* Read the ring. It is empty when a read would wait. */
void tw_tracefs_read(struct tw_trace_window *window)
{
	const int text = fcntl(instance.text, F_DUPFD_CLOEXEC, 0);
	FILE *lines = text < 0 ? NULL : fdopen(text, "r");
	char *line = NULL;
	size_t size = 0;

	/* Another job may have stopped the ring until this time. */
	window->whole_from_ns = atomic_load(&instance.shared->again_ns);
	if (!lines) {
		close(text);
		return;
	}
	setvbuf(lines, NULL, _IOFBF, READ_SIZE);
	while (getline(&line, &size, lines) > 0) {
		line[strcspn(line, "\n")] = '\0';
		if (!tw_trace_take(window, line))
			break;
	}
	free(line);
	fclose(lines);
}
