/* SPDX-License-Identifier: MIT */
/*
 * Moving one thread from CPU to CPU comes to intervals that hold 0, by the same
 * judge, with one thread and no more, and leaves out a CPU that it can't get to
 * or is not on when it thinks so.
 *
 * Fails when readings are noted for the CPU that was asked for in place of the
 * one they were made on, when the reading before a move is noted after the one
 * behind it, or when one CPU that fails ends the whole tour.
 */
#include <errno.h>
#include <sched.h>

#include "estimate/reliability.h"
#include "tap.h"

static unsigned threads;

static int count_threads(pthread_t *thread, const pthread_attr_t *attributes,
			 void *(*start)(void *), void *argument)
{
	threads++;
	return pthread_create(thread, attributes, start, argument);
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

/* Says yes to all, and stays. */
static int wrong_cpu(unsigned cpu)
{
	(void)cpu;
	return tw_probe_system_real.pin(kept_cpu);
}

/* All is well at first; then every CPU but one is taken away. */
static int taken_away(unsigned cpu)
{
	return moves++ < good_moves ? tw_probe_system_real.pin(cpu) :
				      one_cpu_only(cpu);
}

static const struct tw_reliability_options options = {
	.method = TW_METHOD_SWITCH,
	.time_limit_ns = 5 * TW_NS_PER_SECOND,
};

static void try_real(void)
{
	struct tw_probe_system system = tw_probe_system_real;
	struct tw_reliability result;
	int hold = 1;
	unsigned i;

	system.create = count_threads;
	if (!tap_ok(!tw_reliability_measure_on(&result, &options, &system),
		    "measured"))
		return;
	for (i = 0; i < result.pairs; i++)
		hold &= result.offsets[i].low_ticks <= 0 &&
			result.offsets[i].high_ticks >= 0;
	tap_note("%s: %" PRId64 " to %" PRId64 " ticks in %.1f ms",
		 tw_verdict_name(result.verdict), result.offset_low_ticks,
		 result.offset_high_ticks, (double)result.elapsed_ns / 1e6);
	tap_ok(hold && result.monotonic, "all intervals hold 0");
	tap_ok(result.verdict != TW_UNRELIABLE, "not unreliable");
	tap_ok(result.method == TW_METHOD_SWITCH, "by the method asked for");
	if (result.verdict == TW_UNDECIDED) {
		tap_skip("undecided: this machine was too busy");
	} else {
		tap_is_u64(threads, 1, "by one thread");
		tap_ok(result.cpus == 1 || result.switches >= 100,
		       "in %" PRIu64 " moves", result.switches);
	}
	tw_reliability_free(&result);
}

static void try_all_fail(const struct tw_probe_system *system, const char *what)
{
	struct tw_reliability result;

	tap_ok(tw_reliability_measure_on(&result, &options, system) == -EAGAIN,
	       "%s: -EAGAIN", what);
}

static void try_one_left(const struct tw_probe_system *system,
			 unsigned allowed, const char *what)
{
	struct tw_reliability result;

	moves = 0;
	if (!tap_ok(!tw_reliability_measure_on(&result, &options, system),
		    "%s: a verdict", what))
		return;
	tap_ok(result.cpus == 1 && result.cpus_skipped == allowed - 1 &&
	       result.pairs == 0, "on one CPU, the others are said to be missing");
	tap_ok((result.reasons & TW_REASON_CPUS_SKIPPED) &&
	       !(result.reasons & TW_REASON_ONE_CPU) &&
	       result.verdict == TW_UNDECIDED,
	       "and it is undecided, for that and not for there being one");
	tap_ok(result.elapsed_ns < 4 * TW_NS_PER_SECOND, "without waiting");
	tw_reliability_free(&result);
}

int main(void)
{
	struct tw_probe_system system = tw_probe_system_real;
	struct tw_machine machine;

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
	return tap_done();
}
