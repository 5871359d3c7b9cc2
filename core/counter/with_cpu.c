/* SPDX-License-Identifier: MIT */
/*
 * Reads the counter together with the CPU that it belongs to.
 *
 * On x86-64 rdtscp delivers both at once: Linux keeps the CPU's number in the low twelve
 * bits of TSC_AUX and the node's above them. Old or masked processors have no rdtscp.
 * For these, and on other processors, the kernel is asked.
 */
#include <sched.h>

#include "state.h"

/*
 * A thread that moves away and back between the two answers is not noticed. For
 * that it would need two visits to the scheduler within some 50 ns of its own time.
 */
static uint64_t ticks_cpu_by_kernel(unsigned *cpu)
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

#if defined(__x86_64__)

#include <cpuid.h>
#include <stdatomic.h>

#define AUX_CPU_MASK	0xfffu

enum { ASKED = 1, HAS_TSC = 2, HAS_RDTSCP = 4 };

static unsigned features(void)
{
	/* 0: not asked yet. CPUID costs a microsecond and more in a guest. */
	static _Atomic unsigned answer;
	unsigned known = atomic_load_explicit(&answer, memory_order_relaxed);
	unsigned a, b, c, d;

	if (known)
		return known;
	known = ASKED;
	if (__get_cpuid(1, &a, &b, &c, &d) && d >> 4 & 1)
		known |= HAS_TSC;
	if (__get_cpuid(0x80000001u, &a, &b, &c, &d) && d >> 27 & 1)
		known |= HAS_RDTSCP;
	atomic_store_explicit(&answer, known, memory_order_relaxed);
	return known;
}

int tw_processor_has_counter(void)
{
	return (features() & HAS_TSC) != 0;
}

uint64_t tw_ticks_cpu(unsigned *cpu)
{
	uint32_t low, high, aux;
	unsigned ignored;

	if (!cpu)
		cpu = &ignored;
	if (!(features() & HAS_RDTSCP))
		return ticks_cpu_by_kernel(cpu);
	__asm__ __volatile__("rdtscp"
			     : "=a"(low), "=d"(high), "=c"(aux) : : "memory");
	*cpu = aux & AUX_CPU_MASK;
	return (uint64_t)high << 32 | low;
}

#else

uint64_t tw_ticks_cpu(unsigned *cpu)
{
	unsigned ignored;

	return ticks_cpu_by_kernel(cpu ? cpu : &ignored);
}

/* Return 1: on all other processors the counter is part of the architecture. */
int tw_processor_has_counter(void)
{
	return 1;
}

#endif
