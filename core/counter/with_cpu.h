/* SPDX-License-Identifier: MIT */
/*
 * What a processor's own file in core/counter/ may rely on, and what it provides.
 * Internal.
 */
#ifndef TW_COUNTER_WITH_CPU_H
#define TW_COUNTER_WITH_CPU_H

#include "tickwise.h"

/* Read the counter between two equal answers of the kernel. @cpu: not NULL. */
uint64_t tw_ticks_cpu_by_kernel(unsigned *cpu);

/* Return 0 if the processor tells that it has no counter, otherwise 1. */
int tw_processor_has_counter(void);

#endif
