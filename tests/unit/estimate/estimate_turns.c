/* SPDX-License-Identifier: MIT */
/*
 * The threads that measure ask the kernel for short turns; the caller keeps its
 * own. Among many busy threads, one with turns of the usual length gets too few
 * moves into its time.
 *
 * Fails if they do not ask, or if the caller's turns are changed.
 */
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "estimate/probe.h"
#include "tap.h"
#include "trust.h"

struct turns {
	uint32_t size, policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime, deadline, period;
};

static atomic_ullong longest_ns;

/* Return 0 if it is not known, or must not be changed, as in some containers. */
static uint64_t own_turns_ns(void)
{
	struct turns turns = { 0 };

	if (syscall(SYS_sched_getattr, 0L, &turns, sizeof(turns), 0) ||
	    syscall(SYS_sched_setattr, 0L, &turns, 0))
		return 0;
	return turns.runtime;
}

static int pin_and_look(unsigned cpu)
{
	uint64_t now_ns = own_turns_ns();

	if (now_ns > atomic_load(&longest_ns))
		atomic_store(&longest_ns, now_ns);
	return tw_probe_system_real.pin(cpu);
}

static void try_method(enum tw_reliability_method method, const char *name,
		       uint64_t before_ns)
{
	struct tw_probe_system system = tw_probe_system_real;
	struct tw_reliability_options options = { .method = method };
	struct tw_reliability result;

	system.pin = pin_and_look;
	atomic_store(&longest_ns, 0);
	if (!tap_ok(!tw_reliability_measure_on(&result, &options, &system),
		    "%s: measured", name))
		return;
	tap_ok(atomic_load(&longest_ns) < before_ns,
	       "in turns of %llu us, of the caller's %llu", longest_ns / 1000,
	       (unsigned long long)before_ns / 1000);
	tap_is_u64(own_turns_ns(), before_ns, "which are as before");
	tw_reliability_free(&result);
}

int main(void)
{
	uint64_t before_ns = own_turns_ns();

	if (sched_getscheduler(0) != SCHED_OTHER || before_ns <= 100000) {
		tap_skip("this kernel has no turns of a thread's own, or ours "
			 "are the shortest");
		return tap_done();
	}
	try_method(TW_METHOD_CAS, "cas", before_ns);
	try_method(TW_METHOD_SWITCH, "switch", before_ns);
	return tap_done();
}
