/* SPDX-License-Identifier: MIT */
/*
 * Three ways to write the same loop in C, of which one measures what it should.
 * Internal. What the compiler makes of them is the point: they are compiled
 * without optimisation, as the first tries of such a program often are.
 */
#ifndef TW_MEMORY_SEED_LOOPS_H
#define TW_MEMORY_SEED_LOOPS_H

#include <stddef.h>

/* Loads in one turn of each. */
#define TW_SEED_UNROLL	100

/* The pointer lives on the stack: each load waits for a store to be read back,
 * which costs more than the first cache does. */
void *tw_seed_spilled(void *position, size_t turns);

/* In a register, and its last value is not used: there is no load left. */
void *tw_seed_unused(void *position, size_t turns);

/* In a register, and its last value is returned. */
void *tw_seed_touched(void *position, size_t turns);

#endif
