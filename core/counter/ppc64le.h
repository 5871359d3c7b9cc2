/* SPDX-License-Identifier: MIT */
/*
 * Reading the time base of 64-bit Power. Included by tickwise.h only.
 *
 * isync before the read: all instructions before it have completed. isync
 * after it: none of those that follow has begun (Power ISA, Book II, "Instruction
 * Synchronize"). isync does not wait for storage accesses; lwsync before it
 * puts earlier loads before all that follows, which is what the kernel's own
 * clock relies on, too. By the letter only a branch on the loaded value, which
 * acquire loads contain, or a full sync orders a load with a register that is
 * no storage. A full sync also waits for stores to reach all other processors,
 * some hundred cycles; no interval should contain that.
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
