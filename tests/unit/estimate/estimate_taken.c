/* SPDX-License-Identifier: MIT */
/*
 * A CPU is taken away in mid-measurement, so that its thread runs on another. What it
 * then reads does not count for the first CPU, the others go on, and the verdict is
 * undecided at best.
 *
 * A test can't unplug CPUs. Here a reading of the clock moves the thread, as the kernel
 * would, after a number of bursts or readings and not of milliseconds. With threads on
 * all CPUs that is in the middle of a burst. The one thread that moves is taken away
 * between its arrival on a CPU and its departure. Fails if a thread checks only once, or
 * only at its arrival, where it runs.
 */
#include <errno.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "estimate/probe.h"
#include "tap.h"
#include "trust.h"

static cpu_set_t kept;
static unsigned kept_cpu, allowed;
static enum tw_reliability_method method;
static _Thread_local int is_pinned, is_pinned_elsewhere;

/* With threads on all CPUs: bursts of threads on other CPUs until one is moved, and the
 * clock's readings until then. */
static atomic_int bursts_left;
static _Thread_local unsigned looks_left;

/* With one thread: readings on other CPUs until one is taken away, the thread then, and
 * its readings since. */
static atomic_int good_looks;
static atomic_int taken_thread;
static atomic_uint looks_since;

/* A burst may end at the reading that takes the CPU away; then there are two more before
 * and after the sleep. One more is after a move. */
#define LOOKS_TO_LEAVE	3

static int pin_and_know(unsigned cpu)
{
	int error = tw_probe_system_real.pin(cpu);

	is_pinned |= !error;
	is_pinned_elsewhere = !error && cpu != kept_cpu;
	return error;
}

/* Replaces the C library's, in all of this program. A burst begins with the end of a
 * sleep and the second reading after that. */
int clock_nanosleep(clockid_t id, int flags, const struct timespec *time,
		    struct timespec *left)
{
	int failed = (int)syscall(SYS_clock_nanosleep, id, flags, time, left);

	if (method == TW_METHOD_CAS && is_pinned_elsewhere &&
	    atomic_fetch_sub(&bursts_left, 1) == 1)
		looks_left = 3;
	return failed ? errno : 0;
}

int clock_gettime(clockid_t id, struct timespec *time)
{
	pid_t thread = (pid_t)syscall(SYS_gettid);

	if (looks_left && --looks_left == 0)
		sched_setaffinity(0, sizeof(kept), &kept);
	if (method == TW_METHOD_SWITCH && thread == atomic_load(&taken_thread)) {
		atomic_fetch_add(&looks_since, 1);
	} else if (method == TW_METHOD_SWITCH && is_pinned &&
		   (unsigned)sched_getcpu() != kept_cpu && good_looks > 0 &&
		   atomic_fetch_sub(&good_looks, 1) == 1) {
		sched_setaffinity(0, sizeof(kept), &kept);
		atomic_store(&taken_thread, thread);
	}
	return (int)syscall(SYS_clock_gettime, id, time);
}

/* Return whether a CPU was taken away before the end. */
static int was_taken(const struct tw_reliability *result)
{
	return method == TW_METHOD_CAS ? result->cpus_skipped > 0 :
					 atomic_load(&looks_since) >= LOOKS_TO_LEAVE;
}

static void try_after(int count)
{
	const struct tw_reliability_options options = {
		.size = sizeof(options), .method = method,
		.time_limit_ns = 600 * TW_NS_PER_SECOND,
		/* Nothing is collected again for a better bound. */
		.tolerance_ns = method == TW_METHOD_CAS ? TW_NS_PER_SECOND : 0,
	};
	const struct tw_probe_system system = { pthread_create, pin_and_know };
	struct tw_reliability result;
	unsigned tries = 0;
	int error;

	/* The threads end every 250 ms and others go on: at just that moment nothing is
	 * left to be taken away. */
	do {
		if (tries)
			tw_reliability_free(&result);
		atomic_store(&bursts_left, count);
		atomic_store(&taken_thread, 0);
		atomic_store(&looks_since, 0);
		atomic_store(&good_looks, count);
		result = TW_SIZED(struct tw_reliability);
		error = tw_reliability_measure_on(&result, &options, &system);
	} while (!error && !was_taken(&result) && ++tries < 20);
	tap_ok(!error && was_taken(&result) &&
	       (method != TW_METHOD_CAS || atomic_load(&bursts_left) <= 0),
	       "method %d, after %d: the CPU was taken away in time", (int)method, count);
	tap_ok(result.cpus == allowed - 1 && result.cpus_skipped == 1,
	       "%u CPUs left, %u missing", result.cpus, result.cpus_skipped);
	tap_ok(result.verdict == TW_UNDECIDED && (result.reasons & TW_REASON_CPUS_SKIPPED) &&
	       !(result.reasons & TW_REASON_ONE_CPU) &&
	       result.elapsed_ns < options.time_limit_ns / 2,
	       "which leaves it undecided, in time");
	tw_reliability_free(&result);
}

int main(void)
{
	/* Bursts, of which each CPU has seven at least; readings of the clock. */
	static const int counts[][4] = { { 1, 2, 4, 6 }, { 5, 20, 50, 0 } };
	struct tw_machine machine = TW_SIZED(struct tw_machine);

	kept_cpu = (unsigned)sched_getcpu();
	CPU_ZERO(&kept);
	CPU_SET(kept_cpu, &kept);
	tw_machine_read(&machine);
	allowed = machine.cpus_allowed;
	if (allowed < 2)
		tap_skip("only one CPU is allowed: none can be taken away");
	for (method = TW_METHOD_CAS; allowed > 1 && method <= TW_METHOD_SWITCH; method++)
		for (unsigned i = 0; i < 4 && counts[method][i]; i++)
			try_after(counts[method][i]);
	return tap_done();
}
