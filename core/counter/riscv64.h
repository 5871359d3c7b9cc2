/* SPDX-License-Identifier: MIT */
/*
 * Reads the time register of 64-bit RISC-V. Included by tickwise.h only.
 *
 * Only fences order reads of a control and status register with memory; for a
 * fence such a read is device input (RISC-V Unprivileged ISA, "Zicsr", CSR Access
 * Ordering). The first fence orders earlier loads and earlier reads of the
 * register before this read. The second one orders this read before everything
 * later. No fence waits for earlier stores: that is not needed. Nothing orders
 * instructions that touch no memory. They take a few cycles, and the register
 * moves only every 10 ns to 1 us.
 *
 * Where the processor has no such register, firmware answers every read;
 * tw_counter_check() then reports "trapped".
 */
#ifndef TW_COUNTER_RISCV64_H
#define TW_COUNTER_RISCV64_H

#include <stdint.h>

#define TW_COUNTER_NAME		"time"
#define TW_COUNTER_CLOCKSOURCE	"riscv_clocksource"

static inline uint64_t tw__counter_read(void)
{
	uint64_t ticks;

	__asm__ __volatile__("rdtime %0" : "=r"(ticks));
	return ticks;
}

static inline uint64_t tw__counter_read_ordered(void)
{
	uint64_t ticks;

	__asm__ __volatile__("fence ir, i\n\trdtime %0\n\tfence i, iorw"
			     : "=r"(ticks) : : "memory");
	return ticks;
}

#endif
