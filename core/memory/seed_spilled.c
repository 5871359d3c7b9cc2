/* SPDX-License-Identifier: MIT */
/*
 * A loop with the pointer on the stack. It is compiled with -O0: then a
 * variable is stored on the stack after every statement.
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
