/* SPDX-License-Identifier: MIT */
/*
 * A CPU that is taken away in mid-measurement: its thread finds itself on
 * another. What it then reads is not taken for the first CPU's, the others go
 * on, and the verdict is undecided at best.
 *
 * CPUs can't be unplugged by a test; moving the threads by force is what the
 * kernel does then. Fails when a thread looks only once where it is.
 */
#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "estimate/reliability.h"
#include "tap.h"

static cpu_set_t kept;
static atomic_int stop;
static pid_t measuring, moving;

/* Every thread of this process but the two that are the test itself. */
static void move_all(void)
{
	DIR *dir = opendir("/proc/self/task");
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		pid_t thread = atoi(entry->d_name);

		if (thread > 0 && thread != measuring && thread != moving)
			sched_setaffinity(thread, sizeof(kept), &kept);
	}
	if (dir)
		closedir(dir);
}

static void *take_away(void *argument)
{
	struct timespec first = { .tv_nsec = 20000000 };
	struct timespec then = { .tv_nsec = 1000000 };

	(void)argument;
	moving = (pid_t)syscall(SYS_gettid);
	nanosleep(&first, NULL);
	while (!atomic_load(&stop)) {
		move_all();
		nanosleep(&then, NULL);
	}
	return NULL;
}

static void try_method(enum tw_reliability_method method, const char *what)
{
	struct tw_reliability_options options = {
		.method = method,
		.least_time_ns = 200000000,
		.time_limit_ns = 400000000,
	};
	struct tw_reliability result;
	pthread_t thread;

	atomic_store(&stop, 0);
	if (pthread_create(&thread, NULL, take_away, NULL))
		exit(1);
	if (tap_ok(!tw_reliability_measure(&result, &options),
		   "%s: a verdict", what)) {
		tap_ok(result.cpus >= 1 && result.cpus_skipped >= 1,
		       "%u CPUs left, %u missing", result.cpus,
		       result.cpus_skipped);
		tap_ok(result.verdict == TW_UNDECIDED &&
		       (result.reasons & TW_REASON_CPUS_SKIPPED),
		       "which leaves it undecided");
		tap_ok(!(result.reasons & TW_REASON_ONE_CPU),
		       "and more than one was allowed");
		tap_ok(result.elapsed_ns < 5 * TW_NS_PER_SECOND, "in time");
		tw_reliability_free(&result);
	}
	atomic_store(&stop, 1);
	pthread_join(thread, NULL);
}

int main(void)
{
	struct tw_machine machine;

	tw_machine_read(&machine);
	if (machine.cpus_allowed < 2) {
		tap_skip("only one CPU is allowed: none can be missing");
		return tap_done();
	}
	measuring = (pid_t)syscall(SYS_gettid);
	CPU_ZERO(&kept);
	CPU_SET((unsigned)sched_getcpu(), &kept);
	try_method(TW_METHOD_CAS, "threads on all CPUs");
	try_method(TW_METHOD_SWITCH, "one thread that is moved");
	return tap_done();
}
