/* SPDX-License-Identifier: MIT */
/*
 * A read of the counter that does not come before what was read before it, as
 * the vDSO makes them: it may come after what follows. The ordered reads of
 * tickwise.h hold that back, too, and cost more.
 */
#ifndef TW_PRELOAD_COUNTER_H
#define TW_PRELOAD_COUNTER_H

#include "tickwise.h"

static inline uint64_t tw_preload_ticks(void *context)
{
	(void)context;
#if defined(__x86_64__)
	/* As tw_ticks(), but the compiler is told that rdtsc clears the upper
	 * halves: one instruction less. */
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
