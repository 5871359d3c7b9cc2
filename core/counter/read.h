/* SPDX-License-Identifier: MIT */
/*
 * Reads the counter of each processor. Included by tickwise.h only.
 *
 * TW__ORDERED begins after all earlier instructions, and holds back all later ones. Without
 * it, when two CPUs hand a value to each other, some hundred of 100,000 reads appear to run
 * backwards.
 */
#ifndef TW_COUNTER_READ_H
#define TW_COUNTER_READ_H

#if defined(__x86_64__)
/*
 * lfence before rdtsc waits for all earlier instructions, lfence after it holds back all
 * later ones (Intel SDM vol. 2, RDTSC; on AMD the kernel makes lfence dispatch-serialising).
 * This costs no more than rdtscp;lfence and needs no CPUID bit.
 */
#define TW_COUNTER_NAME		"tsc"
#define TW_COUNTER_CLOCKSOURCE	"tsc"
#define TW__UNORDERED		"rdtsc"
#define TW__ORDERED		"lfence\n\trdtsc\n\tlfence"
/* rdtsc clears the upper halves of both. */
#define TW__RESULT(low, high)	"=a"(low), "=d"(high)
#elif defined(__aarch64__)
/*
 * The virtual counter of the Arm generic timer. A read of CNTVCT_EL0 may be made
 * speculatively and out of order (Arm Architecture Reference Manual, DDI 0487, "The Generic
 * Timer in AArch64 state"). The isb before it waits until all earlier instructions have
 * executed, but not for a load whose value is not used yet: the dsb does. Without it a stamp
 * could be older than a value that was loaded before.
 *
 * The kernel lets programs read this counter, not CNTPCT_EL0. On processors whose counter is
 * faulty it forbids that, too, and answers every read itself; tw_counter_check() then reports
 * "trapped".
 */
#define TW_COUNTER_NAME		"cntvct_el0"
#define TW_COUNTER_CLOCKSOURCE	"arch_sys_counter"
#define TW__UNORDERED		"mrs %0, cntvct_el0"
#define TW__ORDERED		"dsb ishld\n\tisb\n\tmrs %0, cntvct_el0\n\tisb"
#elif defined(__powerpc64__) && defined(__LITTLE_ENDIAN__)
/*
 * The time base of 64-bit Power: 268 is TB, the whole register at once. isync before the
 * read: all earlier instructions have completed. isync after it: no later one has begun
 * (Power ISA, Book II, "Instruction Synchronize"). isync does not wait for storage accesses.
 * lwsync before it orders earlier loads before all that follows; the kernel's own clock
 * relies on this, too.
 *
 * Strictly, the time base is no storage. A load is ordered with reading it only by a branch
 * on the loaded value, which acquire loads contain, or by a full sync. A full sync also waits
 * until stores have reached all other processors: some hundred cycles, which no interval
 * should contain.
 */
#define TW_COUNTER_NAME		"timebase"
#define TW_COUNTER_CLOCKSOURCE	"timebase"
#define TW__UNORDERED		"mfspr %0, 268"
#define TW__ORDERED		"lwsync\n\tisync\n\tmfspr %0, 268\n\tisync"
#elif defined(__riscv) && __riscv_xlen == 64
/*
 * The time register of 64-bit RISC-V. Only fences order reads of a control and status
 * register with memory; for a fence such a read is device input (RISC-V Unprivileged ISA,
 * "Zicsr", CSR Access Ordering). The first fence orders earlier loads and earlier reads of
 * the register before this read, the second one this read before everything later. No fence
 * waits for earlier stores: that is not needed. Nothing orders instructions that touch no
 * memory. They take a few cycles, and the register moves only every 10 ns to 1 us.
 *
 * Where the processor has no such register, firmware answers every read; tw_counter_check()
 * then reports "trapped".
 */
#define TW_COUNTER_NAME		"time"
#define TW_COUNTER_CLOCKSOURCE	"riscv_clocksource"
#define TW__UNORDERED		"rdtime %0"
#define TW__ORDERED		"fence ir, i\n\trdtime %0\n\tfence i, iorw"
#else
#error "tickwise: no counter is known for this processor (x86-64, aarch64, ppc64le, riscv64)"
#endif

#include <stdint.h>

#ifndef TW__RESULT
#define TW__RESULT(low, high)	"=r"(low)
#endif

static inline uint64_t tw__counter_read(void)
{
	uint64_t low, high = 0;

	__asm__ __volatile__(TW__UNORDERED : TW__RESULT(low, high));
	return high << 32 | low;
}

static inline uint64_t tw__counter_read_ordered(void)
{
	uint64_t low, high = 0;

	__asm__ __volatile__(TW__ORDERED : TW__RESULT(low, high) : : "memory");
	return high << 32 | low;
}

#endif
