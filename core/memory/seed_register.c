/* SPDX-License-Identifier: MIT */
/*
 * Two loops with the pointer in a register. gcc compiles them with -O0: then it
 * keeps a register variable in a register, and leaves out what is not used.
 * Other compilers do both from -O1 on, so they use that.
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
