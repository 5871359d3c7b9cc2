/* SPDX-License-Identifier: MIT */
/*
 * A program under the preload clock, for preload.t: reads CLOCK_MONOTONIC in every
 * way that a program may, next to the system call, and prints what it saw.
 *
 *	alone | threads | fork | signals | early | others
 *
 * Prints "reads N backwards N off NS". Off is the distance of a reading to the
 * range between the system call's readings before and after it.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define RUN_NS	300000000ULL

struct seen {
	uint64_t last_ns;
	uint64_t reads, backwards;
	int64_t off_ns;
};

static uint64_t ns_of(const struct timespec *ts)
{
	return (uint64_t)ts->tv_sec * 1000000000 + (uint64_t)ts->tv_nsec;
}

static uint64_t real_ns(clockid_t id)
{
	struct timespec now;

	syscall(SYS_clock_gettime, id, &now);
	return ns_of(&now);
}

static uint64_t clock_ns(clockid_t id)
{
	struct timespec now = { 0 };

	if (clock_gettime(id, &now) || now.tv_nsec < 0 ||
	    now.tv_nsec >= 1000000000)
		return 0;
	return ns_of(&now);
}

static void look(struct seen *seen)
{
	int64_t low = (int64_t)real_ns(CLOCK_MONOTONIC);
	uint64_t ns = clock_ns(CLOCK_MONOTONIC);
	int64_t high = (int64_t)real_ns(CLOCK_MONOTONIC);

	if (low - (int64_t)ns > seen->off_ns)
		seen->off_ns = low - (int64_t)ns;
	if ((int64_t)ns - high > seen->off_ns)
		seen->off_ns = (int64_t)ns - high;
	seen->backwards += ns < seen->last_ns;
	seen->last_ns = ns;
	seen->reads++;
	/* These many readings are compared with nothing. */
	for (int i = 0; i < 20; i++, seen->reads++) {
		ns = clock_ns(CLOCK_MONOTONIC);
		seen->backwards += ns < seen->last_ns;
		seen->last_ns = ns;
	}
}

static void *run(void *context)
{
	uint64_t end_ns = real_ns(CLOCK_MONOTONIC) + RUN_NS;

	while (real_ns(CLOCK_MONOTONIC) < end_ns)
		look(context);
	return NULL;
}

static void print(const struct seen *seen)
{
	printf("reads %llu backwards %llu off %lld\n",
	       (unsigned long long)seen->reads,
	       (unsigned long long)seen->backwards, (long long)seen->off_ns);
	fflush(stdout);
}

static void threads(void)
{
	struct seen seen[8] = { 0 };
	pthread_t id[8];
	int i;

	look(&seen[0]);
	for (i = 0; i < 8; i++)
		if (pthread_create(&id[i], NULL, run, &seen[i]))
			exit(3);
	for (i = 0; i < 8; i++) {
		pthread_join(id[i], NULL);
		print(&seen[i]);
	}
}

/* A child continues its parent's time, and its children continue its own. */
static void forks(struct seen *seen, int depth)
{
	run(seen);
	print(seen);
	if (depth) {
		pid_t child = fork();

		if (child == 0) {
			forks(seen, depth - 1);
			exit(0);
		}
		waitpid(child, NULL, 0);
	}
}

static struct seen in_handler;

static void handler(int number)
{
	int saved_errno = errno;

	(void)number;
	look(&in_handler);
	errno = saved_errno;
}

/* Send signals as often as possible: some of them in mid-renewal. */
static void signals(void)
{
	const struct itimerval often = { { 0, 50 }, { 0, 50 } };
	const struct itimerval never = { { 0, 0 }, { 0, 0 } };
	struct sigaction action = { .sa_handler = handler };
	struct seen seen = { 0 };

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	run(&seen);
	setitimer(ITIMER_REAL, &never, NULL);
	print(&seen);
	print(&in_handler);
}

/* Before main(), and perhaps before the preload's set-up. */
static struct seen early;

__attribute__((constructor(101)))
static void before_main(void)
{
	for (int i = 0; i < 100; i++)
		look(&early);
}

static void others(void)
{
	static const clockid_t ids[] = { CLOCK_REALTIME, CLOCK_MONOTONIC_RAW,
		CLOCK_BOOTTIME, CLOCK_MONOTONIC_COARSE, CLOCK_THREAD_CPUTIME_ID };
	struct timespec now;
	struct seen seen = { 0 };

	for (unsigned i = 0; i < sizeof(ids) / sizeof(*ids); i++) {
		uint64_t low = real_ns(ids[i]), ns = clock_ns(ids[i]);

		seen.reads++;
		seen.backwards += ns < low || ns > real_ns(ids[i]);
	}
	errno = 0;
	if (clock_gettime(12345, &now) != -1 || errno != EINVAL)
		seen.backwards++;
	print(&seen);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	struct seen seen = { 0 };

	if (!strcmp(what, "threads")) {
		threads();
	} else if (!strcmp(what, "fork")) {
		forks(&seen, 2);
	} else if (!strcmp(what, "signals")) {
		signals();
	} else if (!strcmp(what, "early")) {
		print(&early);
	} else if (!strcmp(what, "others")) {
		others();
	} else {
		run(&seen);
		print(&seen);
	}
	return 0;
}
