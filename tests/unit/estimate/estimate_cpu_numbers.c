/* SPDX-License-Identifier: MIT */
/*
 * CPU numbers of 1024 and more are found among those allowed, used with a large
 * enough set, and named in the result.
 *
 * The test plays the kernel: three CPUs whose numbers need a set of 512 bytes, and
 * threads that move to them run anywhere. Fails if a set that is too small is used
 * anywhere on the way, or if its size is not passed on.
 */
#include <errno.h>
#include <sched.h>
#include <string.h>

#include "machine/cpus.h"
#include "estimate/probe.h"
#include "tap.h"
#include "tickwise.h"

static const unsigned numbers[] = { 3, 1500, 4095 };

#define COUNT		3
#define KERNEL_BYTES	512

static _Thread_local unsigned now_on = 3;

/* Like the kernel: -EINVAL for a buffer that is too small. */
int sched_getaffinity(pid_t thread, size_t size, cpu_set_t *set)
{
	(void)thread;
	if (size < KERNEL_BYTES) {
		errno = EINVAL;
		return -1;
	}
	memset(set, 0, size);
	for (unsigned i = 0; i < COUNT; i++)
		CPU_SET_S(numbers[i], size, set);
	return 0;
}

int sched_setaffinity(pid_t thread, size_t size, const cpu_set_t *set)
{
	(void)thread;
	for (unsigned i = 0; i < COUNT; i++) {
		if (numbers[i] / 8 < size && CPU_ISSET_S(numbers[i], size, set) &&
		    CPU_COUNT_S(size, set) == 1) {
			now_on = numbers[i];
			return 0;
		}
	}
	errno = EINVAL;
	return -1;
}

int sched_getcpu(void)
{
	return (int)now_on;
}

static void try_allowed(void)
{
	unsigned *cpus;
	unsigned count;

	if (!tap_ok(!tw_allowed_cpus(&cpus, &count), "CPUs allowed"))
		return;
	tap_ok(count == COUNT && !memcmp(cpus, numbers, sizeof(numbers)),
	       "these three");
	free(cpus);
}

static void try_measure(void)
{
	/* A thread that never had its turn takes no part. */
	const struct tw_reliability_options patient = {
		.size = sizeof(patient),
		.time_limit_ns = 60 * TW_NS_PER_SECOND,
		.tolerance_ns = TW_NS_PER_SECOND,
	};
	struct tw_reliability result = TW_SIZED(struct tw_reliability);
	unsigned *named;

	if (!tap_ok(!tw_reliability_measure(&result, &patient), "measured"))
		return;
	tap_ok(result.cpus == COUNT && result.cpus_skipped == 0 &&
	       result.pairs == 3, "all of them");
	named = (unsigned[]){ result.offsets[0].base_cpu,
			      result.offsets[0].cpu, result.offsets[2].cpu };
	tap_ok(!memcmp(named, numbers, sizeof(numbers)), "and named so");
	tw_reliability_free(&result);
}

int main(void)
{
	tap_ok(tw_probe_system_real.pin(4095) == 0, "a thread goes to CPU 4095");
	tap_ok(tw_probe_system_real.pin(70000) == -EINVAL,
	       "and not to one that there is not");
	try_allowed();
	try_measure();
	return tap_done();
}
