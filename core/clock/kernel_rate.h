/* SPDX-License-Identifier: MIT */
/*
 * The kernel's multipliers, and which of them a fit shows. Inside the library;
 * pure.
 */
#ifndef TW_CLOCK_KERNEL_RATE_H
#define TW_CLOCK_KERNEL_RATE_H

#include "fit.h"

struct tw_kernel_rate {
	uint64_t from_hz;	/* what the kernel made the multiplier of */
	uint32_t mult;
	uint32_t shift;
	double hz;		/* what the multiplier means */
};

/* What the kernel makes of an integer kHz, or of a declared frequency; returns
 * -ERANGE outside 10 MHz to 10 GHz (4.29 GHz: 32 bits of Hz). */
int tw_kernel_rate_of_khz(uint32_t khz, struct tw_kernel_rate *rate);
int tw_kernel_rate_of_hz(uint64_t hz, struct tw_kernel_rate *rate);

/* What the kernel can have made its multiplier of. Neither: of nothing that
 * is known. */
struct tw_kernel_candidates {
	int every_khz;		/* it measured, to an integer kHz: x86-64 */
	uint64_t declared_hz;	/* it was told: everywhere else */
};

/*
 * The one multiplier that explains @fit, or the reasons (bits of enum
 * tw_rate_refusal) why there is none. @alone is set when no other candidate
 * lies in the hard interval.
 */
unsigned tw_kernel_rate_recognise(const struct tw_fit *fit,
				  const struct tw_kernel_candidates *candidates,
				  struct tw_kernel_rate *rate, int *alone);

#endif
