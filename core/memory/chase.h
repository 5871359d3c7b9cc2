/* SPDX-License-Identifier: MIT */
/*
 * The loads themselves, and the processor's own clock to compare with. Internal.
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
 * @turns: number of turns. A turn has TW_CHASE_UNROLL loads, each of the
 *	address that the one before returned. It has no other load, no store,
 *	one counter and one branch.
 *
 * Return: the element where it ended.
 */
void *tw_chase(void *position, size_t turns);

/**
 * tw_core_ticks_per_cycle - measure one cycle of this core, in counter ticks, now
 *
 * A chain of dependent additions of two registers takes a cycle for each
 * addition on every processor that this supports. (Some processors add
 * constants while renaming registers: that would be too fast.) The result is
 * the difference of a long and a short chain, each the fastest of some. What is
 * the same in both cancels. Takes about 100 us.
 *
 * Return: ticks; 0 if no such instruction is known (Power).
 */
double tw_core_ticks_per_cycle(void);

#endif
