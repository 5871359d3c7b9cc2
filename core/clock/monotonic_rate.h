/* SPDX-License-Identifier: MIT */
/*
 * The rate of CLOCK_MONOTONIC, from that of CLOCK_MONOTONIC_RAW and from the steering
 * that adjtimex(2) reports at both ends of a window. Internal.
 */
#ifndef TW_CLOCK_MONOTONIC_RATE_H
#define TW_CLOCK_MONOTONIC_RATE_H

#include "kernel_rate.h"
#include "machine/steering.h"

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
