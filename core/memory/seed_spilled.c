/* SPDX-License-Identifier: MIT */
/*
 * Compiled with -O0, where a variable has its place on the stack and is written
 * there after every statement.
 */
#include "seed_loops.h"

#define LOAD		position = *(void **)position;
#define LOADS_10	LOAD LOAD LOAD LOAD LOAD LOAD LOAD LOAD LOAD LOAD
#define LOADS_100	LOADS_10 LOADS_10 LOADS_10 LOADS_10 LOADS_10 \
			LOADS_10 LOADS_10 LOADS_10 LOADS_10 LOADS_10

void *tw_seed_spilled(void *position, size_t turns)
{
	while (turns--) {
		LOADS_100
	}
	return position;
}
