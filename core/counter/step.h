/* SPDX-License-Identifier: MIT */
/*
 * The step of a counter: by how many ticks it moves at a time. Internal.
 *
 * A counter that is driven by a slower clock moves by several ticks at once, and
 * no reading is finer than that step. The step is no whole number of ticks where
 * the tick rate is no multiple of that clock, or where a hypervisor scales what a
 * guest reads. An AMD guest moves by 24.499978 ticks, and shows 24 or 25.
 */
#ifndef TW_COUNTER_STEP_H
#define TW_COUNTER_STEP_H

#include <stdint.h>

/* Larger differences are left out, so no longer step is found. In ticks. */
#define TW_STEP_MAX_TICKS	1024

/* seen[d]: how often two successive readings of one CPU were d ticks apart. */
struct tw_steps {
	uint32_t seen[TW_STEP_MAX_TICKS + 1];
};

static inline void tw_steps_add(struct tw_steps *steps, uint64_t apart_ticks)
{
	if (apart_ticks <= TW_STEP_MAX_TICKS)
		steps->seen[apart_ticks]++;
}

/* Find the step, in ticks and correct to 0.1, that explains differences of readings at
 * irregular moments. A step that is no whole number is found if it is 4 ticks or
 * longer. 1 if no longer step is seen, or if there are fewer than 32 differences. Pure. */
double tw_steps_find(const struct tw_steps *steps);

/* Measure the step of this machine's counter in ticks. Takes some 20 us. */
double tw_step_read(void);

/* Compute how far the counter can be above a reading of it, in ticks: a reading is
 * the last whole step without the fraction of a tick. */
uint64_t tw_step_reach_ticks(double step_ticks);

/* A loop that reads the counter at equal distances beats with a counter that moves in
 * steps. For milliseconds all its readings are at one place between two steps, then at
 * another. So loops pause for a random length between two readings. */

/* The longest pause in turns of an empty loop. It takes some 20 ns, which is longer
 * than a step of 10 ns. */
#define TW_PAUSE_TURNS	64

/* Wait. @random: any value but 0 at first (xorshift32: Marsaglia 2003). */
static inline void tw_pause(uint32_t *random)
{
	*random ^= *random << 13;
	*random ^= *random >> 17;
	*random ^= *random << 5;
	for (uint32_t turns = *random % TW_PAUSE_TURNS; turns; turns--)
		__asm__ __volatile__("" : "+r" (turns));
}

#endif
