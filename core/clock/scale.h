/* SPDX-License-Identifier: MIT */
/*
 * The rates that a counter may have. Internal; tw_scale_init() is public.
 */
#ifndef TW_CLOCK_SCALE_H
#define TW_CLOCK_SCALE_H

/* 10 MHz to 10 GHz: what tw_scale_init() takes. The conversion's arithmetic fits in
 * 64 bits for these. */
#define TW_MIN_HZ	10000000ULL
#define TW_MAX_HZ	10000000000ULL

#endif
