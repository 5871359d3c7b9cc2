/* SPDX-License-Identifier: MIT */
/*
 * Moving one thread from CPU to CPU takes one thread and no more. It leaves out a
 * CPU that it can't get to, or on which it turns out not to be.
 *
 * Fails if readings count for the CPU that was asked for in place of the one they
 * were made on, or if one CPU that fails ends the whole tour. Fails also if the
 * last remaining CPU is given up for a single stray check.
 */
#include <errno.h>
#include <sched.h>
#include <stdatomic.h>

#include "estimate/probe.h"
#include "tap.h"
#include "trust.h"

/* Threads may follow each other, but at one time there is one. */
static atomic_uint running, most_running;
static void *(*real_start)(void *);

static void *count_running(void *argument)
{
	unsigned now = atomic_fetch_add(&running, 1) + 1;
	void *result;

	if (now > atomic_load(&most_running))
		atomic_store(&most_running, now);
	result = real_start(argument);
	atomic_fetch_sub(&running, 1);
	return result;
}

static int count_threads(pthread_t *thread, const pthread_attr_t *attributes,
			 void *(*start)(void *), void *argument)
{
	real_start = start;
	return pthread_create(thread, attributes, count_running, argument);
}

static int no_thread(pthread_t *thread, const pthread_attr_t *attributes,
		     void *(*start)(void *), void *argument)
{
	(void)thread, (void)attributes, (void)start, (void)argument;
	return EPERM;
}

static unsigned kept_cpu, moves, good_moves;

static int no_cpu(unsigned cpu)
{
	(void)cpu;
	return -EINVAL;
}

static int one_cpu_only(unsigned cpu)
{
	return cpu == kept_cpu ? tw_probe_system_real.pin(cpu) : -EINVAL;
}

/* Report success for all, and stay. */
static int wrong_cpu(unsigned cpu)
{
	(void)cpu;
	return tw_probe_system_real.pin(kept_cpu);
}

/* All succeed at first; then every CPU but one is taken away. */
static int taken_away(unsigned cpu)
{
	return moves++ < good_moves ? tw_probe_system_real.pin(cpu) :
				      one_cpu_only(cpu);
}

static unsigned other_cpu;
static cpu_set_t strayed;

/* Once for each CPU: report success, and be on another. */
static int stray_once(unsigned cpu)
{
	if (moves++ < good_moves || CPU_ISSET(cpu, &strayed))
		return tw_probe_system_real.pin(cpu);
	CPU_SET(cpu, &strayed);
	return tw_probe_system_real.pin(cpu == kept_cpu ? other_cpu : kept_cpu);
}

static unsigned allowed_but(unsigned but)
{
	cpu_set_t allowed;
	unsigned cpu = 0;

	sched_getaffinity(0, sizeof(allowed), &allowed);
	while (cpu == but || !CPU_ISSET(cpu, &allowed))
		cpu++;
	return cpu;
}

static const struct tw_reliability_options options = {
	.size = sizeof(options),
	.method = TW_METHOD_SWITCH,
	.time_limit_ns = 600 * TW_NS_PER_SECOND,
};

/* What the moves show depends on this machine: machine/estimate_verdict. */
static void try_real(void)
{
	struct tw_probe_system system = tw_probe_system_real;
	struct tw_reliability result = TW_SIZED(struct tw_reliability);

	system.create = count_threads;
	if (!tap_ok(!tw_reliability_measure_on(&result, &options, &system),
		    "measured"))
		return;
	tap_ok(result.method == TW_METHOD_SWITCH, "by the method asked for");
	tap_is_u64(most_running, 1, "by one thread at a time");
	tap_ok(result.cpus == 1 || result.switches >= 100,
	       "in %" PRIu64 " moves", result.switches);
	tw_reliability_free(&result);
}

static void try_all_fail(const struct tw_probe_system *system, const char *what)
{
	struct tw_reliability result = TW_SIZED(struct tw_reliability);

	tap_ok(tw_reliability_measure_on(&result, &options, system) == -EAGAIN,
	       "%s: -EAGAIN", what);
}

static void try_one_left(const struct tw_probe_system *system,
			 unsigned allowed, const char *what)
{
	struct tw_reliability result = TW_SIZED(struct tw_reliability);

	moves = 0;
	if (!tap_ok(!tw_reliability_measure_on(&result, &options, system),
		    "%s: a verdict", what))
		return;
	tap_ok(result.cpus == 1 && result.cpus_skipped == allowed - 1 &&
	       result.pairs == 0, "on one CPU, the others are reported as missing");
	tap_ok((result.reasons & TW_REASON_CPUS_SKIPPED) &&
	       !(result.reasons & TW_REASON_ONE_CPU) &&
	       result.verdict == TW_UNDECIDED,
	       "and it is undecided, for that and not for there being one");
	tap_ok(result.elapsed_ns < options.time_limit_ns / 2,
	       "without waiting");
	tw_reliability_free(&result);
}

int main(void)
{
	struct tw_probe_system system = tw_probe_system_real;
	struct tw_machine machine = TW_SIZED(struct tw_machine);

	kept_cpu = (unsigned)sched_getcpu();
	tw_machine_read(&machine);
	try_real();
	system.create = no_thread;
	try_all_fail(&system, "no thread");
	system = tw_probe_system_real;
	system.pin = no_cpu;
	try_all_fail(&system, "no CPU");
	if (machine.cpus_allowed < 2) {
		tap_skip("only one CPU is allowed: none can be missing");
		return tap_done();
	}
	system.pin = one_cpu_only;
	try_one_left(&system, machine.cpus_allowed, "one CPU");
	system.pin = wrong_cpu;
	try_one_left(&system, machine.cpus_allowed, "a wrong CPU");
	system.pin = taken_away;
	for (good_moves = 1; good_moves < 100; good_moves += 33)
		try_one_left(&system, machine.cpus_allowed, "CPUs taken away");
	system.pin = stray_once;
	other_cpu = allowed_but(kept_cpu);
	for (good_moves = 0; good_moves < 100; good_moves += 33) {
		CPU_ZERO(&strayed);
		try_one_left(&system, machine.cpus_allowed, "each astray once");
	}
	return tap_done();
}
