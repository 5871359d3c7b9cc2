/* SPDX-License-Identifier: MIT */
/*
 * What NTP and others do to CLOCK_MONOTONIC, as adjtimex(2) reports it. Internal.
 */
#ifndef TW_MACHINE_STEERING_H
#define TW_MACHINE_STEERING_H

#include "tickwise.h"

/* How far NTP may change CLOCK_MONOTONIC without a fault. It may set the
 * frequency off that of CLOCK_MONOTONIC_RAW (the kernel's MAXFREQ), and it may
 * slew, as adjtime(3) does. The two can add up. */
#define TW_NTP_FREQUENCY_PPM	500
#define TW_NTP_SLEW_PPM		500
#define TW_NTP_MAX_PPM		(TW_NTP_FREQUENCY_PPM + TW_NTP_SLEW_PPM)

/* How many units of adjtimex(2) are a millionth. */
#define TW_STEERING_PER_PPM	65536.0

/* What steers CLOCK_MONOTONIC, in the units of adjtimex(2). */
struct tw_steering {
	long freq;		/* 2^-16 ppm; positive = faster than RAW */
	long tick_us;		/* of a user's tick, 10000 if not steered */
	int status;		/* STA_ bits */
	unsigned user_hz;	/* user's ticks per second */
	unsigned kernel_hz;	/* the kernel's ticks per second; 0: not known */
};

/* Read what adjtimex(2) reports now. Return 0, or -errno. */
int tw_steering_read(struct tw_steering *steering);

/* Return how much faster than RAW MONOTONIC runs in the long run, in ppb;
 * negative = slower. Offsets that are still slewed away are not part of it. */
double tw_steering_ppb(const struct tw_steering *steering);

#endif
