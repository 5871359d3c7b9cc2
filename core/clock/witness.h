/* SPDX-License-Identifier: MIT */
/*
 * What this machine names as the counter's rate. Inside the library.
 */
#ifndef TW_CLOCK_WITNESS_H
#define TW_CLOCK_WITNESS_H

#include "kernel_rate.h"

/* The kernel's candidates of this machine, or of @source. */
void tw_kernel_candidates_read(const struct tw_time_source *source,
			       struct tw_kernel_candidates *candidates);

/*
 * Who else names exactly @from_hz; TW_WITNESS_NONE when nobody does. A witness
 * with another rate is none: CPUID's nominal rate is often some ppm beside the
 * one the kernel found.
 */
enum tw_witness tw_witness_find(uint64_t from_hz);

#endif
