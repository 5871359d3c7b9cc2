/* SPDX-License-Identifier: MIT */
/*
 * A read of the counter that does not come before earlier reads of memory, as
 * the vDSO makes it. It may come after what follows. The ordered reads of
 * tickwise.h hold back what follows, too, and cost more.
 */
#ifndef TW_PRELOAD_COUNTER_H
#define TW_PRELOAD_COUNTER_H

#include "tickwise.h"

static inline uint64_t tw_preload_ticks(void *context)
{
	(void)context;
#if defined(__x86_64__)
	/* As tw_ticks(). Here the compiler knows that rdtsc clears the upper
	 * halves, which saves one instruction. */
	uint64_t low, high;

	__asm__ __volatile__("rdtsc" : "=a"(low), "=d"(high));
	return high << 32 | low;
#else
	return tw_ticks();
#endif
}

static inline uint64_t tw_preload_ticks_ordered(void *context)
{
	(void)context;
#if defined(__x86_64__)
	uint64_t low, high;

	__asm__ __volatile__("lfence\n\trdtsc"
			     : "=a"(low), "=d"(high) : : "memory");
	return high << 32 | low;
#else
	return tw_ticks_begin();
#endif
}

#endif
