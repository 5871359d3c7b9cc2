/* SPDX-License-Identifier: MIT */
/*
 * What tw_rate_measure() shares with refining. Inside the library.
 */
#ifndef TW_CLOCK_RATE_H
#define TW_CLOCK_RATE_H

#include "kernel_rate.h"

/* How far the truth can be from rate->hz, by its hard interval. */
double tw_rate_bound_ppb(const struct tw_rate *rate);

/* From now on @rate is the kernel's, named by @rate->witness or by nobody. */
void tw_rate_use_kernel(struct tw_rate *rate,
			const struct tw_kernel_rate *kernel);

#endif
