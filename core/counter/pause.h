/* SPDX-License-Identifier: MIT */
/*
 * A pause of random length between two readings. A loop that reads the counter
 * at equal distances beats with a counter that moves in steps: for milliseconds
 * its readings all lie at one place between two steps, then at another. Internal.
 */
#ifndef TW_COUNTER_PAUSE_H
#define TW_COUNTER_PAUSE_H

#include <stdint.h>

/* Turns of an empty loop at the most, some 20 ns: longer than a step of 10 ns. */
#define TW_PAUSE_TURNS	64

/* @random: any value but 0 to begin with (xorshift32: Marsaglia 2003). */
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
