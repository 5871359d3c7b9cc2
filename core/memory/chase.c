/* SPDX-License-Identifier: MIT */
/*
 * Runs dependent loads, and dependent additions.
 */
#include "chase.h"
#include "tickwise.h"

#define CHAIN		4096	/* additions in the shorter chain */
#define TRIES		9

#define LOAD		position = *(void *volatile *)position;
#define LOADS_8		LOAD LOAD LOAD LOAD LOAD LOAD LOAD LOAD
#define LOADS_64	LOADS_8 LOADS_8 LOADS_8 LOADS_8 \
			LOADS_8 LOADS_8 LOADS_8 LOADS_8

/* Run the loads. With volatile the compiler keeps all of them. It need not
 * store a result: each stays in the register that the next load reads. */
__attribute__((noinline))
void *tw_chase(void *position, size_t turns)
{
	while (turns--) {
		LOADS_64
	}
	return position;
}

#if defined(__x86_64__)
#define ADD		__asm__ volatile("add %1, %0" : "+r"(sum) : "r"(one));
#elif defined(__aarch64__)
#define ADD		__asm__ volatile("add %0, %0, %1" : "+r"(sum) : "r"(one));
#elif defined(__riscv)
#define ADD		__asm__ volatile("add %0, %0, %1" : "+r"(sum) : "r"(one));
#endif

#ifdef ADD
#define ADDS_8		ADD ADD ADD ADD ADD ADD ADD ADD
#define ADDS_64		ADDS_8 ADDS_8 ADDS_8 ADDS_8 ADDS_8 ADDS_8 ADDS_8 ADDS_8

static uint64_t chain_ticks(unsigned turns)
{
	uint64_t begin = tw_ticks_begin();
	uint64_t sum = 0, one = 1;

	while (turns--) {
		ADDS_64
	}
	__asm__ volatile("" : : "r"(sum));
	return tw_ticks_end() - begin;
}

static uint64_t min_ticks(unsigned turns)
{
	uint64_t least = UINT64_MAX;

	for (int i = 0; i < TRIES; i++) {
		uint64_t ticks = chain_ticks(turns);

		if (ticks < least)
			least = ticks;
	}
	return least;
}

double tw_core_ticks_per_cycle(void)
{
	uint64_t shorter, longer;

	chain_ticks(4 * CHAIN / 64);	/* leaves an idle state */
	shorter = min_ticks(CHAIN / 64);
	longer = min_ticks(3 * CHAIN / 64);
	return longer > shorter ? (double)(longer - shorter) / (2 * CHAIN) : 0;
}
#else
double tw_core_ticks_per_cycle(void)
{
	return 0;
}
#endif
