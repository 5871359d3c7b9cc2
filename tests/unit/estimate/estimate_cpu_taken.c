/* SPDX-License-Identifier: MIT */
/*
 * A CPU is taken away in mid-measurement, so that its thread runs on another. What
 * it then reads does not count for the first CPU, the others go on, and the verdict
 * is undecided at best.
 *
 * A test can't unplug CPUs. Here a reading of the clock in the middle of a burst
 * moves the thread, as the kernel would, after a number of bursts and not of
 * milliseconds. Fails if a thread checks only once where it runs.
 * estimate_departure does the same to the one thread that is moved.
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
static unsigned kept_cpu;
static _Thread_local int is_pinned_elsewhere;
static atomic_int bursts_left;	/* of threads on other CPUs, until one is moved */
static _Thread_local unsigned looks_left;	/* until this one is */

static int pin_and_know(unsigned cpu)
{
	int error = tw_probe_system_real.pin(cpu);

	is_pinned_elsewhere = !error && cpu != kept_cpu;
	return error;
}

/*
 * Replaces the C library's, in all of this program. A burst begins with the end of
 * a sleep and the second reading after that.
 */
int clock_nanosleep(clockid_t id, int flags, const struct timespec *time,
		    struct timespec *left)
{
	int failed = (int)syscall(SYS_clock_nanosleep, id, flags, time, left);

	if (is_pinned_elsewhere && atomic_fetch_sub(&bursts_left, 1) == 1)
		looks_left = 3;
	return failed ? errno : 0;
}

int clock_gettime(clockid_t id, struct timespec *time)
{
	if (looks_left && --looks_left == 0)
		sched_setaffinity(0, sizeof(kept), &kept);
	return (int)syscall(SYS_clock_gettime, id, time);
}

static void try_after(int bursts, unsigned allowed)
{
	const struct tw_reliability_options options = {
		.size = sizeof(options),
		.time_limit_ns = 600 * TW_NS_PER_SECOND,
		/* Nothing is collected again for a better bound. */
		.tolerance_ns = TW_NS_PER_SECOND,
	};
	struct tw_probe_system system = tw_probe_system_real;
	struct tw_reliability result = TW_SIZED(struct tw_reliability);
	unsigned tries;
	int error;

	system.pin = pin_and_know;
	/*
	 * The threads end every 250 ms and others go on: at just that moment
	 * nothing is left to be taken away.
	 */
	for (tries = 0; tries < 20; tries++) {
		atomic_store(&bursts_left, bursts);
		error = tw_reliability_measure_on(&result, &options, &system);
		if (!tap_ok(!error, "in burst %d: a verdict (error %d)",
			    bursts, error))
			return;
		if (result.cpus_skipped)
			break;
		if (tries < 19)
			tw_reliability_free(&result);
	}
	tap_ok(atomic_load(&bursts_left) <= 0, "the CPU was taken away in time");
	tap_ok(result.cpus == allowed - 1 && result.cpus_skipped == 1,
	       "%u CPUs left, %u missing", result.cpus, result.cpus_skipped);
	tap_ok(result.verdict == TW_UNDECIDED &&
	       (result.reasons & TW_REASON_CPUS_SKIPPED),
	       "which leaves it undecided");
	tap_ok(!(result.reasons & TW_REASON_ONE_CPU),
	       "and more than one was allowed");
	tap_ok(result.elapsed_ns < options.time_limit_ns / 2, "in time");
	tw_reliability_free(&result);
}

int main(void)
{
	struct tw_machine machine = TW_SIZED(struct tw_machine);

	kept_cpu = (unsigned)sched_getcpu();
	CPU_ZERO(&kept);
	CPU_SET(kept_cpu, &kept);
	tw_machine_read(&machine);
	if (machine.cpus_allowed < 2) {
		tap_skip("only one CPU is allowed: none can be missing");
		return tap_done();
	}
	/* Each CPU has seven at least. */
	try_after(1, machine.cpus_allowed);
	try_after(2, machine.cpus_allowed);
	try_after(4, machine.cpus_allowed);
	try_after(6, machine.cpus_allowed);
	return tap_done();
}
