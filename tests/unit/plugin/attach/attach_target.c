/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Behaviour: what is no process to follow is refused in one line: no number, a thread, a
 * process that has ended, one of another user, a thread of the kernel. Defect: I/Os of a process that this user
 * may not trace, or a wait for one that never comes.
 *
 * Where no program can be loaded, a line has what /proc tells of the first process, also to an
 * ordinary user. Of a cgroup, and of a program that is not started, it tells so. Defect: zeros,
 * or no line.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <grp.h>
#include <pthread.h>

#include "attach/attach.h"
#include "tap.h"

#define NOBODY	65534

/* Check the reason why @pid is refused; NULL: it may be followed. */
static int says(const char *pid, const char *text)
{
	struct tw_attach_target target;
	char number[16], *list[] = { number };
	const char *why;

	snprintf(number, sizeof(number), "%s", pid);
	why = tw_attach_to(&target, list, 1);
	if (target.count)
		close(target.all->fd);
	free(target.all);
	return text ? why && strstr(why, text) : !why && target.program[0];
}

static int says_of(pid_t pid, const char *text)
{
	char number[16];

	snprintf(number, sizeof(number), "%d", (int)pid);
	return says(number, text);
}

static void *a_thread(void *context)
{
	(void)context;
	tap_ok(says_of((pid_t)syscall(SYS_gettid), "is a thread, not a process"),
	       "a thread");
	return NULL;
}

/* The kernel's first thread, in a container that sees it. */
static void of_the_kernel(void)
{
	char comm[16] = "";
	FILE *file = fopen("/proc/2/comm", "r");

	if (file) {
		if (!fgets(comm, sizeof(comm), file))
			*comm = '\0';
		fclose(file);
	}
	if (strcmp(comm, "kthreadd\n"))
		tap_skip("the kernel's threads are not seen here");
	else
		tap_ok(says("2", "is a thread of the kernel"), "a thread of the kernel");
}

/* Ask as an ordinary user for a process of root's. */
static void another_user(void)
{
	const pid_t root = getuid() ? 1 : getpid();
	pid_t child = fork();
	int status;

	if (!child) {
		if (!getuid() && (setgroups(0, NULL) || setresgid(NOBODY, NOBODY, NOBODY) ||
				  setresuid(NOBODY, NOBODY, NOBODY)))
			_exit(2);
		_exit(!says_of(root, "belongs to another user: run as root"));
	}
	waitpid(child, &status, 0);
	if (WEXITSTATUS(status) == 2)
		tap_skip("there is no other user here");
	else
		tap_ok(status == 0, "a process of another user");
}

/* Print the line to @out, as an ordinary user if possible: of this process, named @count times;
 * 0: of @target. */
static void tell(int out, size_t count, const struct tw_attach_target *target)
{
	struct tw_attach_target own;
	char number[16], *list[] = { number, number };

	if (!getuid() && (setgroups(0, NULL) || setresgid(NOBODY, NOBODY, NOBODY) ||
			  setresuid(NOBODY, NOBODY, NOBODY)))
		_exit(2);
	/* Else its files in /proc stay those of root. */
	prctl(PR_SET_DUMPABLE, 1);
	snprintf(number, sizeof(number), "%d", (int)getpid());
	dup2(out, STDERR_FILENO);
	if (count && tw_attach_to(&own, list, count))
		_exit(1);
	tw_attach_tell_less(count ? &own : target);
	_exit(0);
}

static void less(const char *what, size_t count, const struct tw_attach_target *target,
		 const char *begin, const char *end)
{
	FILE *file = tmpfile();
	char line[512] = "", text[128];
	pid_t child = fork();
	unsigned long long reads = 0;
	int status;

	if (!child)
		tell(fileno(file), count, target);
	waitpid(child, &status, 0);
	rewind(file);
	if (!fgets(line, sizeof(line), file))
		line[0] = '\0';
	fclose(file);
	if (WEXITSTATUS(status) == 2 || access("/proc/self/schedstat", R_OK) ||
	    access("/proc/self/io", R_OK)) {
		tap_skip("no other user, or too little in /proc, here");
		return;
	}
	snprintf(text, sizeof(text), count ? "%s%d\n" : "%s\n", end, (int)child);
	if (count && strstr(line, "/proc: "))
		reads = strtoull(strstr(line, "/proc: ") + 7, NULL, 10);
	tap_ok(status == 0 && strstr(line, begin) && strstr(line, text) && (!count || reads),
	       "%s: %.*s", what, (int)strcspn(line, "\n"), line);
}

static void tell_less(void)
{
	less("one process", 1, NULL, ") so far, by /proc: ",
	     " What it waits for: sudo tickwise attach ");
	less("two", 2, NULL, ", the first of 2) so far, by /proc: ", "sudo tickwise attach ");
	less("a cgroup", 0, &(struct tw_attach_target) { .cgroup = 0, .program = "c.slice" },
	     "tickwise attach: ", "/proc tells nothing of the cgroup c.slice as a whole");
	less("a program", 0, &(struct tw_attach_target) { .own = true, .program = "dd" },
	     "tickwise attach: ", "dd was not started");
}

static void by_name(void)
{
	struct tw_attach_target target;
	const char *why = tw_attach_to_name(&target, "no such name");
	pid_t child;
	size_t i = 0;

	tap_ok(why && strstr(why, "no process has the name no such name"), "a name of none");
	child = fork();
	if (!child) {
		prctl(PR_SET_NAME, "attach target");
		for (;;)
			pause();
	}
	do
		why = tw_attach_to_name(&target, "attach target");
	while (why);
	while (i < target.count && target.all[i].pid != child)
		i++;
	tap_ok(i < target.count, "a process is found by its name");
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	free(target.all);
}

int main(void)
{
	static const char *const bad[] = { "", "x", "12x", "0", "-5", "99999999999" };
	pthread_t thread;
	pid_t ended = fork();

	if (!ended)
		_exit(0);
	waitpid(ended, NULL, 0);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		tap_ok(says(bad[i], "is not the number of a process"), "'%s'", bad[i]);
	tap_ok(says_of(ended, "No such process"), "a process that has ended");
	tap_ok(says_of(getpid(), NULL), "the process itself can be followed");
	pthread_create(&thread, NULL, a_thread, NULL);
	pthread_join(thread, NULL);
	of_the_kernel();
	another_user();
	by_name();
	tell_less();
	return tap_done();
}
