/* SPDX-License-Identifier: MIT */
/*
 * The loads themselves, and the processor's own clock beside them. Internal.
 */
#ifndef TW_MEMORY_CHASE_H
#define TW_MEMORY_CHASE_H

#include <stddef.h>
#include <stdint.h>

/* Loads in one turn of the loop. */
#define TW_CHASE_UNROLL		64

/**
 * tw_chase - follow a cycle
 * @position: an element of it
 * @turns: times TW_CHASE_UNROLL loads, each of the address that the one before
 *	returned: no other load, no store, one counter and one branch a turn
 *
 * Return: where it ended.
 */
void *tw_chase(void *position, size_t turns);

/**
 * tw_core_ticks_per_cycle - what one cycle of this core is in counter ticks now
 *
 * A chain of dependent additions of two registers takes a cycle each on every
 * processor that has an answer here (additions of constants are done while
 * renaming on some, and would read too fast). The difference of a long and a
 * short chain, each the least of some: what is the same in both cancels.
 * About 100 us.
 *
 * Return: ticks; 0 where no such instruction is known (Power).
 */
double tw_core_ticks_per_cycle(void);

#endif
