/* SPDX-License-Identifier: MIT */
/*
 * The multipliers that the kernel can have, and which of them a fit shows: pure. And
 * CLOCK_MONOTONIC's steering. Internal.
 */
#ifndef TW_CLOCK_KERNEL_RATE_H
#define TW_CLOCK_KERNEL_RATE_H

#include "brackets.h"
#include "machine/steering.h"

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

/* ---- the rate of CLOCK_MONOTONIC, from RAW's and from what adjtimex(2) reports ---- */

/* Both ends of a window. The samples of CLOCK_MONOTONIC are between them. */
struct tw_monotonic_watch {
	struct tw_steering before;
	struct tw_steering after;
	struct tw_bracket raw_before;	/* reference_ns of RAW */
	struct tw_bracket raw_after;
	int error;			/* 0, or why the readings are missing */
};

/* Read one end. @source: NULL: the real clocks. An error is kept in @watch. */
void tw_monotonic_watch_begin(struct tw_monotonic_watch *watch,
			      const struct tw_time_source *source);
void tw_monotonic_watch_end(struct tw_monotonic_watch *watch,
			    const struct tw_time_source *source);

/* The rest is pure. */

/* Return bits of enum tw_rate_refusal: why the steering that was read @before and
 * @after a window does not give the rate in that window. 0 if it does. */
unsigned tw_steering_refusal(const struct tw_steering *before,
			     const struct tw_steering *after);

/* Return how far the mean rate of MONOTONIC over @window_ns can be off, at
 * most: the kernel alternates between two whole multipliers. */
double tw_steering_dither_ppb(const struct tw_steering *steering,
			      uint32_t kernel_mult, uint64_t window_ns);

/* Return one sigma of a rate that was computed from the steering, over
 * @window_ns. */
double tw_steering_sigma_ppb(const struct tw_steering *steering,
			     const struct tw_kernel_rate *kernel,
			     uint64_t window_ns);

/*
 * Convert @fit, of CLOCK_MONOTONIC, to CLOCK_MONOTONIC_RAW. Rate and errors are
 * those of @fit without the steering. The hard interval comes from the two
 * readings of RAW alone, which no steering changes.
 *
 * Return 0; -EDOM when the two readings of RAW are too near to each other, or
 * when the rate is out of range.
 */
int tw_fit_unsteered(const struct tw_fit *fit,
		     const struct tw_monotonic_watch *watch,
		     uint64_t granularity_ns, double step_ticks,
		     struct tw_fit *raw);

#endif
