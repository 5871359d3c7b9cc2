/* SPDX-License-Identifier: MIT */
/*
 * The largest counter over some CPUs, apart from reading them: for tests.
 */
#ifndef TW_ESTIMATE_WRAP_H
#define TW_ESTIMATE_WRAP_H

#include <stdint.h>

struct tw_wrap_tour {
	const unsigned *cpus;
	unsigned count;
	/* Read the counter on a CPU. Return: 0; else the CPU can't be had, and
	 * is left out. */
	int (*read)(unsigned cpu, uint64_t *ticks);
	/* set by the tour; the last two where a CPU was read */
	unsigned visited;
	unsigned largest_cpu;
	uint64_t largest_ticks;
};

/* Of equal counters the last one is taken. */
void tw_wrap_visit(struct tw_wrap_tour *tour);

#endif
