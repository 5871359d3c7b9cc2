/* SPDX-License-Identifier: MIT */
/*
 * Reads the virtual counter of the Arm generic timer. Included by tickwise.h
 * only.
 *
 * A read of CNTVCT_EL0 may be made speculatively and out of order (Arm
 * Architecture Reference Manual, DDI 0487, "The Generic Timer in AArch64
 * state"). The isb before the read lets it begin only when all earlier
 * instructions have executed. The isb after it holds back all later ones. But an
 * isb does not wait for a load whose value is not used yet. The dsb waits for
 * these loads: without it a stamp could be older than a value that was loaded
 * before.
 *
 * The kernel lets programs read this counter, not CNTPCT_EL0. On processors whose
 * counter is faulty it forbids that, too, and answers every read itself;
 * tw_counter_check() then reports "trapped".
 */
#ifndef TW_COUNTER_AARCH64_H
#define TW_COUNTER_AARCH64_H

#include <stdint.h>

#define TW_COUNTER_NAME		"cntvct_el0"
#define TW_COUNTER_CLOCKSOURCE	"arch_sys_counter"

static inline uint64_t tw__counter_read(void)
{
	uint64_t ticks;

	__asm__ __volatile__("mrs %0, cntvct_el0" : "=r"(ticks));
	return ticks;
}

static inline uint64_t tw__counter_read_ordered(void)
{
	uint64_t ticks;

	__asm__ __volatile__("dsb ishld\n\tisb\n\tmrs %0, cntvct_el0\n\tisb"
			     : "=r"(ticks) : : "memory");
	return ticks;
}

#endif
