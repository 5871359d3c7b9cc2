/* SPDX-License-Identifier: MIT */
/*
 * The rates that a scale can have, and the check of a scale. Internal; tw_scale_init()
 * is public.
 */
#ifndef TW_CLOCK_SCALE_H
#define TW_CLOCK_SCALE_H

#include "tickwise.h"

/* The rates that tw_scale_init() takes: 10 MHz to 10 GHz. For these the
 * arithmetic of the conversion fits in 64 bits. */
#define TW_MIN_HZ	10000000ULL
#define TW_MAX_HZ	10000000000ULL

/* Return which promise a scale, made from @rate, breaks for some ticks up to max_ticks;
 * NULL if none. */
const char *tw_scale_check(const struct tw_scale *scale, const struct tw_rate *rate);

#endif
