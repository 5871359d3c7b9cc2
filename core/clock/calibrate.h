/* SPDX-License-Identifier: MIT */
/*
 * The parts of a calibration, inside the library: brackets, the fit through
 * them, and the kernel's multipliers. Only brackets.c and witness.c touch the
 * machine; fit.c and kernel_rate.c are arithmetic on what they are given.
 */
#ifndef TW_CLOCK_CALIBRATE_H
#define TW_CLOCK_CALIBRATE_H

#include "tickwise.h"

/* A reading of the reference, and the counter before and after it. */
struct tw_bracket {
	uint64_t before_ticks;
	uint64_t after_ticks;
	uint64_t reference_ns;
};

/*
 * Brackets this much wider than the narrowest of their kind count: 12 ticks of a
 * 2.6 GHz counter. The very narrowest alone cluster in time and follow the
 * core's frequency, which moves the place of the reading inside the bracket.
 */
#define TW_BRACKET_TOLERANCE_NS	4.6

/* Time blocks of the jackknife and of the coverage rule. */
#define TW_FIT_BLOCKS		16
#define TW_FIT_LEAST_BLOCKS	8

struct tw_brackets {
	struct tw_bracket *bracket;	/* ascending in time */
	size_t count;
	uint64_t tolerance_ticks;
	uint64_t granularity_ns;
	double step_ticks;		/* by which the counter moves at a time */
	int is_of_counter;		/* the reference is made of the counter */
};

/*
 * Adds a window's brackets to @brackets, all 0 before the first. Returns 0;
 * -ENOMEM, -EIO, or -errno of the clock, and @brackets are freed.
 */
int tw_brackets_collect(struct tw_brackets *brackets, uint64_t window_ns,
			enum tw_against against,
			const struct tw_time_source *source);
/* As tw_steps_find(), of the brackets that were kept. Pure. */
double tw_brackets_step_ticks(const struct tw_brackets *brackets);
void tw_brackets_free(struct tw_brackets *brackets);

struct tw_fit {
	double hz;
	double sigma_ppb;	/* 1 sigma of hz */
	double wander_ppb;	/* 1 sigma of what is too slow for sigma_ppb */
	double asymmetry_ppb;	/* drift the place of the reading allows */
	double low_hz, high_hz;	/* lines through every bracket */
	uint64_t window_ns;
	uint64_t bracket_ticks;	/* the narrowest */
	uint32_t used;
	unsigned blocks;	/* of TW_FIT_BLOCKS with samples */
};

/*
 * Returns 0; -EAGAIN for fewer than 3 brackets per block on average or less
 * than four blocks; -EDOM when no single rate passes through every bracket.
 */
int tw_fit_brackets(const struct tw_brackets *brackets, struct tw_fit *fit);

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

/* Those of this machine, or of @source's. */
void tw_kernel_candidates_read(const struct tw_time_source *source,
			       struct tw_kernel_candidates *candidates);

/*
 * The one multiplier that explains @fit, or the reasons (bits of enum
 * tw_rate_refusal) why there is none. @alone is set when no other candidate
 * lies in the hard interval.
 */
unsigned tw_kernel_rate_recognise(const struct tw_fit *fit,
				  const struct tw_kernel_candidates *candidates,
				  struct tw_kernel_rate *rate, int *alone);

/* How far the truth can be from rate->hz, by its hard interval. */
double tw_rate_bound_ppb(const struct tw_rate *rate);

/* From now on @rate is the kernel's, named by @rate->witness or by nobody. */
void tw_rate_use_kernel(struct tw_rate *rate,
			const struct tw_kernel_rate *kernel);

/*
 * Who else names exactly @from_hz; TW_WITNESS_NONE when nobody does. A witness
 * with another rate is none: CPUID's nominal rate is often some ppm beside the
 * one the kernel found.
 */
enum tw_witness tw_witness_find(uint64_t from_hz);

#endif
