/* SPDX-License-Identifier: MIT */
/*
 * Recognising the kernel's own multiplier. Pure arithmetic.
 *
 * Where the kernel keeps time by the counter we read, CLOCK_MONOTONIC_RAW is
 * (ticks * mult) >> shift with an integer mult made from an integer number of
 * kHz (kernel/time/clocksource.c: clocks_calc_mult_shift for 600 s, then room
 * for 11 % of adjustment). So the true rate against RAW is one of a few, some
 * hundred ppb apart, and a fit of some ppb can tell which: from then on the
 * error against RAW is not small but zero.
 *
 * A wrong guess would be worse than none. With E = 6 sigma + asymmetry, a
 * candidate is accepted only if the fit lies within E of it, every other one
 * is more than 2E away, and the samples are spread over at least 12 of 16
 * time blocks.
 */
#include <errno.h>
#include <math.h>

#include "calibrate.h"

#define LONGEST_IDLE_S	600
#define NEAR_SIGMAS	6

static unsigned bits_of(uint64_t value)
{
	return value ? 64 - (unsigned)__builtin_clzll(value) : 0;
}

int tw_kernel_rate_of_khz(uint32_t khz, struct tw_kernel_rate *rate)
{
	uint64_t idle_ticks = (uint64_t)khz * 1000 * LONGEST_IDLE_S;
	unsigned mult_bits, shift;
	uint64_t mult = 0;

	if (khz < 10000 || khz > 10000000)
		return -ERANGE;
	/* What of 64 bits 600 s of ticks leave for the multiplier, 32 at most. */
	mult_bits = 32 - bits_of(idle_ticks >> 32);
	for (shift = 32; shift > 0; shift--) {
		mult = ((1000000ULL << shift) + khz / 2) / khz;
		if (bits_of(mult) <= mult_bits)
			break;
	}
	/* NTP may add 11 %, and the sum must still fit. */
	while (bits_of(mult + mult * 11 / 100) > 32) {
		mult >>= 1;
		shift--;
	}
	*rate = (struct tw_kernel_rate) {
		.khz = khz,
		.mult = (uint32_t)mult,
		.shift = shift,
		.hz = 1e9 * ldexp(1, (int)shift) / (double)mult,
	};
	return 0;
}

struct search {
	const struct tw_fit *fit;
	struct tw_kernel_rate nearest;
	double nearest_ppb;
	double next_ppb;		/* the second nearest multiplier */
	unsigned in_hard_interval;
};

static void look_at(struct search *search, uint32_t khz)
{
	struct tw_kernel_rate rate;
	double off_ppb;

	if (tw_kernel_rate_of_khz(khz, &rate))
		return;
	/* Above some 4 GHz neighbouring kHz can share a multiplier. */
	if (rate.mult == search->nearest.mult &&
	    rate.shift == search->nearest.shift)
		return;
	if (rate.hz >= search->fit->low_hz && rate.hz <= search->fit->high_hz)
		search->in_hard_interval++;
	off_ppb = fabs(rate.hz / search->fit->hz - 1) * 1e9;
	if (off_ppb < search->nearest_ppb) {
		search->next_ppb = search->nearest_ppb;
		search->nearest_ppb = off_ppb;
		search->nearest = rate;
	} else if (off_ppb < search->next_ppb) {
		search->next_ppb = off_ppb;
	}
}

unsigned tw_kernel_rate_recognise(const struct tw_fit *fit,
				  struct tw_kernel_rate *rate, int *alone)
{
	struct search search = {
		.fit = fit, .nearest_ppb = INFINITY, .next_ppb = INFINITY,
	};
	double near_ppb = NEAR_SIGMAS * fit->sigma_ppb + fit->asymmetry_ppb;
	/* A multiplier's rounding moves its rate by up to 300 ppb: look a few
	 * kHz beyond the hard interval too, for the second nearest. */
	double low_khz = fit->low_hz / 1000 - 4, high_khz = fit->high_hz / 1000 + 4;
	unsigned refusal = 0;
	uint32_t khz;

	if (!(low_khz > 0) || high_khz - low_khz > 1e6)
		return TW_REFUSED_AMBIGUOUS;
	for (khz = (uint32_t)low_khz; khz <= (uint32_t)high_khz; khz++)
		look_at(&search, khz);

	if (fit->blocks < TW_FIT_LEAST_BLOCKS)
		refusal |= TW_REFUSED_GAPS;
	if (search.nearest_ppb > near_ppb ||
	    search.nearest.hz < fit->low_hz || search.nearest.hz > fit->high_hz)
		refusal |= TW_REFUSED_NO_CANDIDATE;
	else if (search.next_ppb <= 2 * near_ppb)
		refusal |= TW_REFUSED_AMBIGUOUS;
	if (refusal)
		return refusal;
	*rate = search.nearest;
	*alone = search.in_hard_interval == 1;
	return 0;
}
