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

#endif
