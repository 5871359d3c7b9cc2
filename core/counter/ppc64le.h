/* SPDX-License-Identifier: MIT */
/*
 * Reads the time base of 64-bit Power. Included by tickwise.h only.
 *
 * isync before the read: all earlier instructions have completed. isync after it:
 * no later one has begun (Power ISA, Book II, "Instruction Synchronize"). isync
 * does not wait for storage accesses. lwsync before it orders earlier loads before
 * all that follows; the kernel's own clock relies on this, too.
 *
 * Strictly, the time base is no storage. A load is ordered with reading it only by
 * a branch on the loaded value, which acquire loads contain, or by a full sync. A
 * full sync also waits until stores have reached all other processors. That takes
 * some hundred cycles, which no interval should contain.
 */
#ifndef TW_COUNTER_PPC64LE_H
#define TW_COUNTER_PPC64LE_H

#include <stdint.h>

#define TW_COUNTER_NAME		"timebase"
#define TW_COUNTER_CLOCKSOURCE	"timebase"

static inline uint64_t tw__counter_read(void)
{
	uint64_t ticks;

	/* The whole register at once; 268 is TB. */
	__asm__ __volatile__("mfspr %0, 268" : "=r"(ticks));
	return ticks;
}

static inline uint64_t tw__counter_read_ordered(void)
{
	uint64_t ticks;

	__asm__ __volatile__("lwsync\n\tisync\n\tmfspr %0, 268\n\tisync"
			     : "=r"(ticks) : : "memory");
	return ticks;
}

#endif
