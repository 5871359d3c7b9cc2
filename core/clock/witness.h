/* SPDX-License-Identifier: MIT */
/*
 * The rates that this machine names for the counter. Internal.
 */
#ifndef TW_CLOCK_WITNESS_H
#define TW_CLOCK_WITNESS_H

#include "kernel_rate.h"

/* Read the kernel's candidates of this machine, or of @source. */
void tw_kernel_candidates_read(const struct tw_time_source *source,
			       struct tw_kernel_candidates *candidates);

/*
 * Return the witness that names exactly @from_hz; TW_WITNESS_NONE if there is
 * none. A source with another rate is no witness: the nominal rate of CPUID is
 * often some ppm off the rate that the kernel found.
 */
enum tw_witness tw_witness_find(uint64_t from_hz);

#endif
