/* SPDX-License-Identifier: MIT */
/*
 * Only the CPUs in the caller's own mask are judged and counted, and tw_ticks_cpu()
 * names the CPU it ran on.
 *
 * Fails if the CPUs that are online are taken, or numbers from 0 on.
 */
#include <sched.h>
#include <stdlib.h>

#include "machine/cpus.h"
#include "tap.h"
#include "tickwise.h"

static void pin(unsigned cpu)
{
	size_t size = CPU_ALLOC_SIZE((size_t)cpu + 1);
	cpu_set_t *set = CPU_ALLOC((size_t)cpu + 1);

	CPU_ZERO_S(size, set);
	CPU_SET_S(cpu, size, set);
	if (sched_setaffinity(0, size, set))
		exit(1);
	CPU_FREE(set);
}

static void try_pinned(unsigned cpu)
{
	struct tw_reliability result = TW_SIZED(struct tw_reliability);
	struct tw_machine machine = TW_SIZED(struct tw_machine);
	unsigned seen = ~0u;
	unsigned *cpus;
	unsigned count;

	pin(cpu);
	tap_ok(!tw_allowed_cpus(&cpus, &count) && count == 1 && cpus[0] == cpu,
	       "CPU %u is the only one allowed", cpu);
	free(cpus);
	tw_machine_read(&machine);
	tap_ok(machine.cpus_allowed == 1 && machine.cpus_online >= 1 &&
	       machine.cpus_configured >= machine.cpus_online,
	       "and is counted so");
	tap_ok(tw_ticks_cpu(&seen) && seen == cpu, "the counter is read on it");
	tap_ok(tw_ticks_cpu(NULL) != 0, "also when nobody asks where");
	if (!tap_ok(!tw_reliability_measure(&result, NULL), "judged"))
		return;
	tap_ok(result.cpus == 1 && result.pairs == 0 &&
	       (result.reasons & TW_REASON_ONE_CPU), "alone");
	/* Undecided on a busy machine; with one CPU nothing proves a fault. */
	tap_ok(result.verdict != TW_UNRELIABLE, "and not unreliable");
	tw_reliability_free(&result);
}

int main(void)
{
	unsigned *cpus;
	unsigned count;
	unsigned i;

	if (!tap_ok(!tw_allowed_cpus(&cpus, &count) && count > 0,
		    "CPUs allowed"))
		return tap_done();
	for (i = 0; i < count && i < 4; i++)
		try_pinned(cpus[i]);
	free(cpus);
	return tap_done();
}
