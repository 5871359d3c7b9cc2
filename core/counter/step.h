/* SPDX-License-Identifier: MIT */
/*
 * By how many ticks a counter moves at a time. Internal.
 *
 * A tick need not be the counter's resolution. A counter that is driven by a
 * slower clock moves on by several ticks at once, and nothing finer can be read
 * from it. Where the tick rate is no multiple of that clock, or a hypervisor
 * scales what a guest reads, the step is no whole number of ticks: an AMD guest
 * moves by 24.499978 ticks, and shows 24 or 25.
 */
#ifndef TW_COUNTER_STEP_H
#define TW_COUNTER_STEP_H

#include <stdint.h>

/* Differences above this, and so longer steps, are left out. In ticks. */
#define TW_STEP_LONGEST		1024

/* How often two readings of one CPU, close together, were so many ticks apart. */
struct tw_steps {
	uint32_t seen[TW_STEP_LONGEST + 1];
};

static inline void tw_steps_add(struct tw_steps *steps, uint64_t apart_ticks)
{
	if (apart_ticks <= TW_STEP_LONGEST)
		steps->seen[apart_ticks]++;
}

/**
 * tw_steps_find - the step that explains the differences
 * @steps: differences of readings that were made at irregular moments
 *
 * Return: in ticks, good to 0.1; 1 where no longer step is seen, or fewer than
 * 32 differences were. Steps between whole numbers are found from 4 ticks on.
 * Pure.
 */
double tw_steps_find(const struct tw_steps *steps);

/* The step of this machine's counter, from some hundred readings: 20 us. */
double tw_step_read(void);

/* How far the counter can be above a reading of it: it shows the last whole
 * step, without the fraction of a tick. In ticks. */
uint64_t tw_step_reach_ticks(double step_ticks);

#endif
