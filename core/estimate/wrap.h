/* SPDX-License-Identifier: MIT */
/*
 * Finds the largest counter of some CPUs, with a reading function of a test's
 * choice. Internal.
 */
#ifndef TW_ESTIMATE_WRAP_H
#define TW_ESTIMATE_WRAP_H

#include <stdint.h>

struct tw_wrap_tour {
	const unsigned *cpus;
	unsigned count;
	/* Read the counter on a CPU. Return 0; otherwise the CPU can't be used and
	 * is left out. */
	int (*read)(unsigned cpu, uint64_t *ticks);
	/* set by the tour; the last two if any CPU was read */
	unsigned visited;
	unsigned largest_cpu;
	uint64_t largest_ticks;
};

/* Make the tour. If counters are equal, the last CPU is taken. */
void tw_wrap_visit(struct tw_wrap_tour *tour);

#endif
