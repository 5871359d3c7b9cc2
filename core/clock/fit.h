/* SPDX-License-Identifier: MIT */
/*
 * The line through brackets, and its error. Internal; pure.
 */
#ifndef TW_CLOCK_FIT_H
#define TW_CLOCK_FIT_H

#include "brackets.h"

/* Time blocks, for the jackknife and for the rule on gaps. */
#define TW_FIT_BLOCKS		16
#define TW_FIT_MIN_BLOCKS	8

struct tw_fit {
	double hz;
	double sigma_ppb;	/* 1 sigma of hz */
	double wander_ppb;	/* 1 sigma of what is too slow for sigma_ppb */
	double asymmetry_ppb;	/* most that the place of the reading can shift hz */
	double low_hz, high_hz;	/* lines through every bracket */
	uint64_t window_ns;
	uint64_t bracket_ticks;	/* the narrowest */
	uint32_t used;
	unsigned blocks;	/* those of TW_FIT_BLOCKS that have samples */
};

/*
 * Fit a line through the brackets. Return 0; -EAGAIN for fewer than 3 brackets per
 * block on average, or for fewer than four blocks; -EDOM when no single rate passes
 * through every bracket.
 */
int tw_fit_brackets(const struct tw_brackets *brackets, struct tw_fit *fit);

#endif
