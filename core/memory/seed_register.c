/* SPDX-License-Identifier: MIT */
/*
 * Compiled with -O0 by gcc, which keeps a register variable in a register then
 * and leaves out what nobody uses of it, and with -O1 by others, which do both
 * from there on.
 */
#include "seed_loops.h"

#define LOAD		chased = *(void **)chased;
#define LOADS_10	LOAD LOAD LOAD LOAD LOAD LOAD LOAD LOAD LOAD LOAD
#define LOADS_100	LOADS_10 LOADS_10 LOADS_10 LOADS_10 LOADS_10 \
			LOADS_10 LOADS_10 LOADS_10 LOADS_10 LOADS_10

void *tw_seed_unused(void *position, size_t turns)
{
	register void *chased = position;

	while (turns--) {
		LOADS_100
	}
	return position;
}

void *tw_seed_touched(void *position, size_t turns)
{
	register void *chased = position;

	while (turns--) {
		LOADS_100
	}
	return chased;
}
