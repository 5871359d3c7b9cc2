/* SPDX-License-Identifier: MIT */
/*
 * A pause of random length between two readings. A loop that reads the counter
 * at equal distances beats with a counter that moves in steps. For milliseconds
 * all its readings are at one place between two steps, then at another.
 * Internal.
 */
#ifndef TW_COUNTER_PAUSE_H
#define TW_COUNTER_PAUSE_H

#include <stdint.h>

/* The longest pause in turns of an empty loop. It takes some 20 ns, which is longer
 * than a step of 10 ns. */
#define TW_PAUSE_TURNS	64

/* Wait. @random: any value but 0 at first (xorshift32: Marsaglia 2003). */
static inline void tw_pause(uint32_t *random)
{
	uint32_t turns;

	*random ^= *random << 13;
	*random ^= *random >> 17;
	*random ^= *random << 5;
	for (turns = *random % TW_PAUSE_TURNS; turns; turns--)
		__asm__ __volatile__("" : "+r" (turns));
}

#endif
