/* SPDX-License-Identifier: MIT */
/*
 * Reading the time register of 64-bit RISC-V. Included by tickwise.h only.
 *
 * Reads of a control and status register are ordered with memory only by
 * fences, for which they count as device input (RISC-V Unprivileged ISA,
 * "Zicsr", CSR Access Ordering). So: earlier loads and reads of the register
 * before this one, this one before everything later. Stores before it need not
 * be waited for. Instructions that touch no memory are ordered by nothing;
 * they take a few cycles, and the register moves every 10 ns to 1 us.
 *
 * Where the processor has no such register, firmware answers every read;
 * tw_counter_check() then says "trapped".
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
