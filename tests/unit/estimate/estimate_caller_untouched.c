/* SPDX-License-Identifier: MIT */
/*
 * A measurement leaves the caller's affinity, signal mask, threads, descriptors and
 * errno as they were, by either method, also if it fails.
 *
 * Fails if the caller itself is pinned or moved over the CPUs, if a failure leaves
 * the signals blocked, or if a thread outlives the memory it works in.
 */
#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>

#include "estimate/probe.h"
#include "tap.h"
#include "trust.h"

struct state {
	unsigned char cpus[8192];
	sigset_t signals;
	unsigned threads;
	unsigned descriptors;
};

static unsigned entries(const char *path)
{
	DIR *dir = opendir(path);
	unsigned count = 0;

	while (dir && readdir(dir))
		count++;
	if (dir)
		closedir(dir);
	return count;
}

static void look(struct state *state)
{
	memset(state, 0, sizeof(*state));
	sched_getaffinity(0, sizeof(state->cpus), (cpu_set_t *)state->cpus);
	pthread_sigmask(SIG_SETMASK, NULL, &state->signals);
	state->threads = entries("/proc/self/task");
	state->descriptors = entries("/proc/self/fd");
}

static int same_signals(const sigset_t *a, const sigset_t *b)
{
	int same = 1;
	int i;

	for (i = 1; i < NSIG; i++)
		same &= sigismember(a, i) == sigismember(b, i);
	return same;
}

/* A joined thread can still be listed for a moment. */
static int same_threads(struct state *after, const struct state *before)
{
	struct timespec pause = { .tv_nsec = 1000000 };
	unsigned tries;

	for (tries = 0; tries < 1000; tries++) {
		after->threads = entries("/proc/self/task");
		if (after->threads == before->threads)
			return 1;
		nanosleep(&pause, NULL);
	}
	return 0;
}

static int no_thread(pthread_t *thread, const pthread_attr_t *attributes,
		     void *(*start)(void *), void *argument)
{
	(void)thread, (void)attributes, (void)start, (void)argument;
	return EAGAIN;
}

static int no_cpu(unsigned cpu)
{
	(void)cpu;
	return -EINVAL;
}

static void try_with(const struct tw_probe_system *system,
		     const struct tw_reliability_options *options,
		     const char *what)
{
	struct tw_reliability result = { 0 };
	struct state before, after;
	int error;

	look(&before);
	errno = 4711;
	error = tw_reliability_measure_on(&result, options, system);
	tap_ok(errno == 4711, "%s (%d): errno", what, error);
	look(&after);
	tap_ok(!memcmp(before.cpus, after.cpus, sizeof(before.cpus)),
	       "affinity");
	tap_ok(same_signals(&before.signals, &after.signals), "signals");
	tap_ok(same_threads(&after, &before), "threads");
	tap_ok(before.descriptors == after.descriptors, "descriptors");
	tw_reliability_free(&result);
}

static void *nothing(void *argument)
{
	return argument;
}

/* ThreadSanitizer starts a thread of its own with the first one. */
static void start_first_thread(void)
{
	pthread_t thread;

	if (!pthread_create(&thread, NULL, nothing, NULL))
		pthread_join(thread, NULL);
}

static void try_method(enum tw_reliability_method method)
{
	struct tw_reliability_options good = { .method = method };
	struct tw_reliability_options wrong = { .method = method, .hz = -1 };
	struct tw_reliability_options unreachable = {
		.method = method,
		.tolerance_ns = 1,
		/* With switching the first judgement is after 40 ms. */
		.time_limit_ns = method == TW_METHOD_SWITCH ? 100000000 :
							      20000000,
	};
	struct tw_probe_system system = tw_probe_system_real;

	tap_note("method %d", (int)method);
	try_with(NULL, &good, "a good run");
	try_with(NULL, &unreachable, "a run that collects again");
	try_with(NULL, &wrong, "wrong options");
	system.create = no_thread;
	try_with(&system, &good, "no thread to be had");
	system = tw_probe_system_real;
	system.pin = no_cpu;
	try_with(&system, &good, "no CPU to be had");
}

int main(void)
{
	sigset_t some;

	start_first_thread();
	sigemptyset(&some);
	sigaddset(&some, SIGUSR2);
	pthread_sigmask(SIG_BLOCK, &some, NULL);
	try_with(NULL, NULL, "no options");
	try_method(TW_METHOD_CAS);
	try_method(TW_METHOD_SWITCH);
	return tap_done();
}
