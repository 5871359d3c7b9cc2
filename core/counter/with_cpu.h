/* SPDX-License-Identifier: MIT */
/*
 * Inside core/counter/: what a processor's own file may rely on, and what it
 * provides.
 */
#ifndef TW_COUNTER_WITH_CPU_H
#define TW_COUNTER_WITH_CPU_H

#include "tickwise.h"

/* The counter between two equal answers of the kernel; @cpu not NULL. */
uint64_t tw_ticks_cpu_by_kernel(unsigned *cpu);

/* 0: the processor says that it has no counter. */
int tw_processor_has_counter(void);

#endif
