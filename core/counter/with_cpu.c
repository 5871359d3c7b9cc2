/* SPDX-License-Identifier: MIT */
/*
 * Reads the counter together with the CPU that it belongs to, as the kernel names
 * it. Contains all of tw_ticks_cpu() for processors that have no better way.
 */
#include "with_cpu.h"

#include <sched.h>

/*
 * A thread that moves away and back between the two answers is not noticed. For
 * that it would need two visits to the scheduler within some 50 ns of its own time.
 */
uint64_t tw_ticks_cpu_by_kernel(unsigned *cpu)
{
	int before, after;
	uint64_t ticks;

	do {
		before = sched_getcpu();
		ticks = tw_ticks_begin();
		after = sched_getcpu();
	} while (before != after);
	*cpu = (unsigned)after;
	return ticks;
}

#if !defined(__x86_64__)

uint64_t tw_ticks_cpu(unsigned *cpu)
{
	unsigned ignored;

	return tw_ticks_cpu_by_kernel(cpu ? cpu : &ignored);
}

/* Return 1: on all other processors the counter is part of the architecture. */
int tw_processor_has_counter(void)
{
	return 1;
}

#endif
