/* SPDX-License-Identifier: MIT */
/*
 * Reading the time stamp counter together with the CPU it belongs to.
 *
 * rdtscp delivers both at once: Linux keeps the CPU's number in the low twelve
 * bits of TSC_AUX and the node's above them. Old or masked processors have no
 * rdtscp; there the counter is read between two equal answers of the kernel.
 */
#include "tickwise.h"

#if defined(__x86_64__)

#include <cpuid.h>
#include <sched.h>
#include <stdatomic.h>

#define AUX_CPU_MASK	0xfffu

static int has_rdtscp(void)
{
	/* 0: not asked yet. CPUID costs a microsecond and more in a guest. */
	static _Atomic int answer;
	int known = atomic_load_explicit(&answer, memory_order_relaxed);
	unsigned a, b, c, d;

	if (known)
		return known > 0;
	known = __get_cpuid(0x80000001u, &a, &b, &c, &d) && d >> 27 & 1 ?
		1 : -1;
	atomic_store_explicit(&answer, known, memory_order_relaxed);
	return known > 0;
}

static uint64_t read_between(unsigned *cpu)
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

uint64_t tw_ticks_cpu(unsigned *cpu)
{
	uint32_t low, high, aux;
	unsigned ignored;

	if (!cpu)
		cpu = &ignored;
	if (!has_rdtscp())
		return read_between(cpu);
	__asm__ __volatile__("rdtscp"
			     : "=a"(low), "=d"(high), "=c"(aux) : : "memory");
	*cpu = aux & AUX_CPU_MASK;
	return (uint64_t)high << 32 | low;
}

#endif
