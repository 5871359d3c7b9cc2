/* SPDX-License-Identifier: MIT */
/*
 * Does the counter ever go backwards? Reads it a billion times, across as many
 * wraps of its low 32 bits as that takes.
 *
 *	build/tests/bench/counter_wraps [READINGS]
 *
 * Readings are ordered, and alternate between the two kinds. All are on the CPU on
 * which the program starts. Exit code 1 if a reading was below the one before.
 */
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#include "tickwise.h"

int main(int argc, char **argv)
{
	uint64_t left = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000000000;
	uint64_t backwards = 0, wraps = 0, longest = 0, reads = left & ~1ULL;
	uint64_t before, now;
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET((size_t)sched_getcpu(), &one);
	if (sched_setaffinity(0, sizeof(one), &one))
		puts("can't stay on a CPU: counters of several may differ");
	for (before = tw_ticks_begin(); left > 1; left -= 2) {
		now = tw_ticks_end();
		backwards += now < before;
		wraps += now >> 32 != before >> 32;
		longest = now - before > longest ? now - before : longest;
		before = tw_ticks_begin();
		backwards += before < now;
		wraps += now >> 32 != before >> 32;
		longest = before - now > longest ? before - now : longest;
	}
	printf("%" PRIu64 " readings, %" PRIu64 " wraps of 2^32, %" PRIu64
	       " backwards; at most %" PRIu64 " ticks apart\n", reads, wraps,
	       backwards, longest);
	return backwards != 0;
}
