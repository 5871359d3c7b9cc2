/* SPDX-License-Identifier: MIT */
/*
 * Reads the time stamp counter of x86-64. Included by tickwise.h only.
 *
 * rdtsc is not ordered with the instructions around it. Without a fence, when two
 * CPUs hand a value to each other, some hundred of 100,000 reads appear to run
 * backwards. lfence before it waits for all earlier instructions, lfence after it
 * holds back all later ones (Intel SDM vol. 2, RDTSC; on AMD the kernel makes
 * lfence dispatch-serialising). lfence;rdtsc;lfence costs no more than
 * rdtscp;lfence and needs no CPUID bit, so both ordered reads use it.
 */
#ifndef TW_COUNTER_X86_64_H
#define TW_COUNTER_X86_64_H

#include <stdint.h>

#define TW_COUNTER_NAME		"tsc"
#define TW_COUNTER_CLOCKSOURCE	"tsc"

static inline uint64_t tw__counter_read(void)
{
	uint32_t low, high;

	__asm__ __volatile__("rdtsc" : "=a"(low), "=d"(high));
	return (uint64_t)high << 32 | low;
}

static inline uint64_t tw__counter_read_ordered(void)
{
	uint32_t low, high;

	__asm__ __volatile__("lfence\n\trdtsc\n\tlfence"
			     : "=a"(low), "=d"(high) : : "memory");
	return (uint64_t)high << 32 | low;
}

#endif
