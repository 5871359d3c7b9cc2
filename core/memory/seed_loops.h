/* SPDX-License-Identifier: MIT */
/*
 * Three ways to write the same loop in C. Only one of them measures what it
 * should. Internal. They are compiled without optimisation, like the first
 * version of many such programs, because they are here to show what the
 * compiler makes of them.
 */
#ifndef TW_MEMORY_SEED_LOOPS_H
#define TW_MEMORY_SEED_LOOPS_H

#include <stddef.h>

/* Loads in one turn of each. */
#define TW_SEED_UNROLL	100

/* The pointer is on the stack. Each load waits for a store to be read back,
 * which takes longer than the first cache. */
void *tw_seed_spilled(void *position, size_t turns);

/* The pointer is in a register, and its last value is not used: no load is left. */
void *tw_seed_unused(void *position, size_t turns);

/* The pointer is in a register, and its last value is returned. */
void *tw_seed_touched(void *position, size_t turns);

#endif
