/* SPDX-License-Identifier: MIT */
/*
 * Runs dependent loads, and dependent additions.
 */
#include "point.h"

#define CHAIN		4096	/* additions in the shorter chain */
#define TRIES		9

#define TIMES_8(x)	x x x x x x x x
#define TIMES_64(x)	TIMES_8(TIMES_8(x))

/* With volatile the compiler keeps all loads. It need not store a result: each stays in the
 * register that the next load reads. */
__attribute__((noinline))
void *tw_chase(void *position, size_t turns)
{
	while (turns--) {
		TIMES_64(position = *(void *volatile *)position;)
	}
	return position;
}

__attribute__((noinline))
void *tw_chase_spilled(void *position, size_t turns)
{
	void *volatile spilled = position;

	while (turns--) {
		TIMES_64(spilled = *(void **)spilled;)
	}
	return spilled;
}

__attribute__((noinline))
void *tw_chase_unused(void *position, size_t turns)
{
	void *chased = position;

	/* The volatile counter keeps the loop itself. */
	for (volatile size_t left = turns; left; left--) {
		TIMES_64(chased = *(void **)chased;)
	}
	return position;
}

#if defined(__x86_64__)
#define ADD		__asm__ volatile("add %1, %0" : "+r"(sum) : "r"(one));
#elif defined(__aarch64__) || defined(__riscv)
#define ADD		__asm__ volatile("add %0, %0, %1" : "+r"(sum) : "r"(one));
#endif

double tw_core_ticks_per_cycle(void)
{
	uint64_t least[2] = { UINT64_MAX, UINT64_MAX };

#ifdef ADD
	/* The first try leaves an idle state. */
	for (unsigned i = 0; i <= TRIES; i++)
		for (unsigned longer = 0; longer < 2; longer++) {
			uint64_t sum = 0, one = 1, begin = tw_ticks_begin(), ticks;

			for (unsigned turns = (1 + 2 * longer) * CHAIN / 64; turns; turns--) {
				TIMES_64(ADD)
			}
			__asm__ volatile("" : : "r"(sum));
			ticks = tw_ticks_end() - begin;
			if (i && ticks < least[longer])
				least[longer] = ticks;
		}
#endif
	return least[1] > least[0] ? (double)(least[1] - least[0]) / (2 * CHAIN) : 0;
}
