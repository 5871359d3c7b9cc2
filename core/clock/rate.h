/* SPDX-License-Identifier: MIT */
/*
 * What tw_rate_measure() shares with refining. Internal.
 */
#ifndef TW_CLOCK_RATE_H
#define TW_CLOCK_RATE_H

#include "kernel_rate.h"

/* Return how far the true rate can be from rate->hz, by the hard interval, in
 * ppb. */
double tw_rate_bound_ppb(const struct tw_rate *rate);

/* Make @rate the kernel's. It is provisional if @rate->witness is
 * TW_WITNESS_NONE. */
void tw_rate_use_kernel(struct tw_rate *rate,
			const struct tw_kernel_rate *kernel);

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
