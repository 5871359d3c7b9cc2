/* SPDX-License-Identifier: MIT */
/*
 * The multipliers that the kernel can have, and which of them a fit shows: pure. Internal.
 */
#ifndef TW_CLOCK_KERNEL_RATE_H
#define TW_CLOCK_KERNEL_RATE_H

#include "brackets.h"

struct tw_kernel_rate {
	uint64_t from_hz;	/* the frequency it was made from */
	uint32_t mult;
	uint32_t shift;
	double hz;		/* the rate that the multiplier gives */
};

/* Compute the kernel's multiplier for an integer kHz, or for a declared frequency.
 * Return 0; -ERANGE outside 10 MHz to 10 GHz (4.29 GHz for 32 bits of Hz). */
int tw_kernel_rate_of_khz(uint32_t khz, struct tw_kernel_rate *rate);
int tw_kernel_rate_of_hz(uint64_t hz, struct tw_kernel_rate *rate);

/* The frequencies that the kernel can have made its multiplier from. With
 * neither, no candidate is known. */
struct tw_kernel_candidates {
	int every_khz;		/* any integer kHz, as measured: x86-64 */
	uint64_t declared_hz;	/* the declared one: everywhere else */
};

/*
 * Find the one multiplier that explains @fit. Return 0, or the reasons why
 * there is none: bits of enum tw_rate_refusal. Set @alone if no other candidate
 * is in the hard interval.
 */
unsigned tw_kernel_rate_recognise(const struct tw_fit *fit,
				  const struct tw_kernel_candidates *candidates,
				  struct tw_kernel_rate *rate, int *alone);

#endif
