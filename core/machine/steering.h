/* SPDX-License-Identifier: MIT */
/*
 * What NTP and others do to CLOCK_MONOTONIC, as adjtimex(2) tells it.
 */
#ifndef TW_MACHINE_STEERING_H
#define TW_MACHINE_STEERING_H

#include "tickwise.h"

/* What NTP may do to CLOCK_MONOTONIC without a fault: set its frequency off that of
 * CLOCK_MONOTONIC_RAW (the kernel's MAXFREQ), and slew it, as adjtime(3) does. Both at
 * once add up. */
#define TW_NTP_FREQUENCY_PPM	500
#define TW_NTP_SLEW_PPM		500
#define TW_NTP_MAX_PPM		(TW_NTP_FREQUENCY_PPM + TW_NTP_SLEW_PPM)

/* adjtimex(2) counts a millionth in these. */
#define TW_STEERING_PER_PPM	65536.0

/* What steers CLOCK_MONOTONIC, in adjtimex(2)'s own units. */
struct tw_steering {
	long offset;		/* still to be slewed away: ns or us, by status */
	long adjust_us;		/* what is left of an adjtime(3) */
	long freq;		/* 2^-16 ppm; positive = faster than RAW */
	long tick_us;		/* of a user's tick, 10000 at rest */
	long constant;		/* of the phase-locked loop */
	int status;		/* STA_ bits */
	unsigned user_hz;	/* user's ticks per second */
	unsigned kernel_hz;	/* the kernel's own; 0: not known */
};

/* What adjtimex(2) says now. Returns 0, or -errno. */
int tw_steering_read(struct tw_steering *steering,
		     const struct tw_time_source *source);

/* Whether the steering was all at rest; positive = MONOTONIC runs faster than
 * RAW by so much, in the long run. */
double tw_steering_ppb(const struct tw_steering *steering);

#endif
