/* SPDX-License-Identifier: MIT */
/*
 * The one thread that is moved from CPU to CPU runs elsewhere when it is about to
 * leave. What it reads then does not count for the CPU it was on, and that CPU is
 * left out from then on.
 *
 * The tour reads the clock between its arrival on a CPU and its departure; here
 * such a reading takes that CPU away. Fails if only the arrival is checked.
 */
#include <sched.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "estimate/probe.h"
#include "tap.h"
#include "trust.h"

static cpu_set_t kept;
static unsigned kept_cpu;
static _Thread_local int is_moved;	/* by the tour, and so on a CPU */
static atomic_uint good_looks;	/* on other CPUs, until one is taken away */
static atomic_int taken_thread;
static atomic_uint looks_since;	/* of that thread */

/*
 * A burst may end at the reading that takes the CPU away; then there are two more
 * before and after the sleep. One more is after a move.
 */
#define LOOKS_TO_LEAVE	3

static int pin_and_know(unsigned cpu)
{
	int error = tw_probe_system_real.pin(cpu);

	is_moved |= !error;
	return error;
}

static void take_away(pid_t thread)
{
	if ((unsigned)sched_getcpu() != kept_cpu && good_looks &&
	    atomic_fetch_sub(&good_looks, 1) == 1) {
		sched_setaffinity(0, sizeof(kept), &kept);
		atomic_store(&taken_thread, thread);
	}
}

/* Replaces the C library's, in all of this program. */
int clock_gettime(clockid_t id, struct timespec *time)
{
	pid_t thread = (pid_t)syscall(SYS_gettid);

	if (thread == atomic_load(&taken_thread))
		atomic_fetch_add(&looks_since, 1);
	else if (is_moved)
		take_away(thread);
	return (int)syscall(SYS_clock_gettime, id, time);
}

static void try_after(unsigned readings, unsigned allowed)
{
	struct tw_reliability_options options = {
		.size = sizeof(options),
		.method = TW_METHOD_SWITCH,
		.time_limit_ns = 600 * TW_NS_PER_SECOND,
	};
	struct tw_probe_system system = tw_probe_system_real;
	struct tw_reliability result = TW_SIZED(struct tw_reliability);
	unsigned tries;

	system.pin = pin_and_know;

	/*
	 * The thread ends every 250 ms and another goes on: at just that moment
	 * nothing is left to be taken away.
	 */
	for (tries = 0; tries < 20; tries++) {
		atomic_store(&taken_thread, 0);
		atomic_store(&looks_since, 0);
		atomic_store(&good_looks, readings);
		if (!tap_ok(!tw_reliability_measure_on(&result, &options,
						       &system),
			    "after %u readings: a verdict", readings))
			return;
		if (atomic_load(&looks_since) >= LOOKS_TO_LEAVE)
			break;
		tw_reliability_free(&result);
	}
	if (tries == 20)
		result = TW_SIZED(struct tw_reliability);
	/* The goal takes 100 moves to each CPU: it does not end before. */
	tap_ok(atomic_load(&looks_since) >= LOOKS_TO_LEAVE,
	       "the CPU was taken away in mid-tour");
	tap_ok(result.cpus == allowed - 1 && result.cpus_skipped == 1 &&
	       result.verdict == TW_UNDECIDED,
	       "it is left out, the others are not");
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
		tap_skip("only one CPU is allowed: none can be taken away");
		return tap_done();
	}
	try_after(5, machine.cpus_allowed);
	try_after(20, machine.cpus_allowed);
	try_after(50, machine.cpus_allowed);
	return tap_done();
}
