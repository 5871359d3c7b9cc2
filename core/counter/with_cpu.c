/* SPDX-License-Identifier: MIT */
/*
 * Reading the counter together with the CPU it belongs to, by the kernel's
 * word; and all of tw_ticks_cpu() for processors that know no better way.
 */
#include "with_cpu.h"

#include <sched.h>

/*
 * A thread that is moved away and back between the two answers is not seen.
 * That takes two visits to the scheduler within some 50 ns of one thread.
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

/* Part of the architecture on all the others. */
int tw_processor_has_counter(void)
{
	return 1;
}

#endif
