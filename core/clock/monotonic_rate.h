/* SPDX-License-Identifier: MIT */
/*
 * CLOCK_MONOTONIC's rate from CLOCK_MONOTONIC_RAW's and what adjtimex(2) says
 * of the steering. Pure.
 */
#ifndef TW_CLOCK_MONOTONIC_RATE_H
#define TW_CLOCK_MONOTONIC_RATE_H

#include "kernel_rate.h"
#include "monotonic_watch.h"

/* Bits of enum tw_rate_refusal: why what was read @before and @after a window
 * does not give the rate in it. 0 if it does. */
unsigned tw_steering_refusal(const struct tw_steering *before,
			     const struct tw_steering *after);

/* How far MONOTONIC's mean over @window_ns can be off that, because the kernel
 * takes turns with two whole multipliers: at the most. */
double tw_steering_dither_ppb(const struct tw_steering *steering,
			      uint32_t kernel_mult, uint64_t window_ns);

/* One sigma of a rate over @window_ns that was computed so. */
double tw_steering_sigma_ppb(const struct tw_steering *steering,
			     const struct tw_kernel_rate *kernel,
			     uint64_t window_ns);

/*
 * What @fit, of CLOCK_MONOTONIC, says about CLOCK_MONOTONIC_RAW: its rate and
 * errors with the steering taken out, and as the hard interval that of the two
 * readings of RAW alone, which no steering touches.
 *
 * Returns 0; -EDOM when RAW did not move or the two do not overlap.
 */
int tw_fit_unsteered(const struct tw_fit *fit,
		     const struct tw_monotonic_watch *watch,
		     uint64_t granularity_ns, double step_ticks,
		     struct tw_fit *raw);

#endif
