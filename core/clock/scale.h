/* SPDX-License-Identifier: MIT */
/*
 * The rates that a counter may have. Internal; tw_scale_init() is public.
 */
#ifndef TW_CLOCK_SCALE_H
#define TW_CLOCK_SCALE_H

/* The rates that tw_scale_init() takes: 10 MHz to 10 GHz. For these the
 * arithmetic of the conversion fits in 64 bits. */
#define TW_MIN_HZ	10000000ULL
#define TW_MAX_HZ	10000000000ULL

#endif
