/* SPDX-License-Identifier: MIT */
/*
 * A thread that can't be started, or can't be kept on its CPU, ends in an error or
 * in fewer CPUs judged, which is reported: never in waiting, never in "reliable".
 *
 * Fails if the others wait for a thread that never comes, or if samples of a thread
 * on another CPU are taken for its own.
 */
#include <errno.h>
#include <sched.h>

#include "estimate/probe.h"
#include "tap.h"
#include "trust.h"

static unsigned calls;

static int no_thread(pthread_t *thread, const pthread_attr_t *attributes,
		     void *(*start)(void *), void *argument)
{
	(void)thread, (void)attributes, (void)start, (void)argument;
	return EAGAIN;
}

static int first_thread_only(pthread_t *thread, const pthread_attr_t *attributes,
			     void *(*start)(void *), void *argument)
{
	if (calls++)
		return EAGAIN;
	return pthread_create(thread, attributes, start, argument);
}

static int no_cpu(unsigned cpu)
{
	(void)cpu;
	return -EINVAL;
}

static unsigned kept_cpu;

static int one_cpu_only(unsigned cpu)
{
	return cpu == kept_cpu ? tw_probe_system_real.pin(cpu) : -EINVAL;
}

/* Report success for all, and keep every thread on one CPU. */
static int wrong_cpu(unsigned cpu)
{
	(void)cpu;
	return tw_probe_system_real.pin(kept_cpu);
}

static void try_all_fail(const struct tw_probe_system *system, const char *what)
{
	struct tw_reliability result = TW_SIZED(struct tw_reliability);

	tap_ok(tw_reliability_measure_on(&result, NULL, system) == -EAGAIN,
	       "%s: -EAGAIN", what);
}

static void try_one_left(const struct tw_probe_system *system,
			 unsigned allowed, const char *what)
{
	struct tw_reliability_options patient = {
		.size = sizeof(patient),
		.time_limit_ns = 600 * TW_NS_PER_SECOND,
	};
	struct tw_reliability result = TW_SIZED(struct tw_reliability);

	calls = 0;
	if (!tap_ok(!tw_reliability_measure_on(&result, &patient, system),
		    "%s: a verdict", what))
		return;
	tap_ok(result.cpus == 1 && result.cpus_skipped == allowed - 1,
	       "on one CPU, the others are reported as missing");
	tap_ok((result.reasons & TW_REASON_CPUS_SKIPPED) &&
	       result.verdict == TW_UNDECIDED, "and it is undecided");
	tap_ok(result.elapsed_ns < patient.time_limit_ns / 2,
	       "without waiting");
	tw_reliability_free(&result);
}

int main(void)
{
	struct tw_probe_system system = tw_probe_system_real;
	struct tw_machine machine = TW_SIZED(struct tw_machine);

	kept_cpu = (unsigned)sched_getcpu();
	tw_machine_read(&machine);
	system.create = no_thread;
	try_all_fail(&system, "no thread");
	system.create = first_thread_only;
	if (machine.cpus_allowed > 1)
		try_one_left(&system, machine.cpus_allowed, "one thread");
	system = tw_probe_system_real;
	system.pin = no_cpu;
	try_all_fail(&system, "no CPU");
	system.pin = one_cpu_only;
	if (machine.cpus_allowed > 1)
		try_one_left(&system, machine.cpus_allowed, "one CPU");
	system.pin = wrong_cpu;
	if (machine.cpus_allowed > 1)
		try_one_left(&system, machine.cpus_allowed, "a wrong CPU");
	else
		tap_skip("only one CPU is allowed: none can be missing");
	return tap_done();
}
