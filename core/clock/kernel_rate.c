/* SPDX-License-Identifier: MIT */
/*
 * Recognises the kernel's own multiplier. Pure arithmetic.
 *
 * Where the kernel keeps time by the counter, CLOCK_MONOTONIC_RAW is (ticks * mult) >> shift
 * with an integer mult (kernel/time/clocksource.c: clocks_calc_mult_shift() for 600 s, then
 * room for 11 % of adjustment). It makes mult from a frequency. On x86 that is a whole
 * number of kHz: candidates are some hundred ppb apart, and a fit that is good to some ppb
 * shows which one it is. Elsewhere firmware declares it, to the Hz, as the only candidate.
 *
 * With the right candidate the error against CLOCK_MONOTONIC_RAW is zero; a wrong one is
 * worse than none. With E = 6 sigma + asymmetry of the fit, a candidate is accepted if
 *
 *	- it is at most E off the fit, and inside the fit's hard interval;
 *	- the next candidate is more than 2 E off the fit, and more than eight times as far
 *	  off as this one. That guards against a counter whose rate lies between the
 *	  candidates: no kernel on x86 is known to keep time by one, but nothing proves it.
 *
 * The fewer of the fit's 16 time blocks have samples, the less is known of sigma: the factor
 * 6 is of 16 blocks, and grows (near_sigmas). With fewer than 8 none is accepted. Gaps
 * between samples can also make the asymmetry larger: fit.c computes it.
 */
#include <errno.h>
#include <math.h>

#include "clock.h"
#include "kernel_rate.h"

#define LONGEST_IDLE_S	600
#define TIMES_NEARER	8

/* The factor of sigma, by the number of time blocks with samples. Six sigma of 16
 * blocks leave a probability of 2.4e-5 outside. The others are the quantiles of
 * Student's t, with one degree of freedom less than blocks, that leave as much. */
static const double near_sigmas[TW_FIT_BLOCKS + 1] = {
	[8] = 9.81, 8.67, 7.91, 7.36, 6.95, 6.63, 6.38, 6.17, 6,
};

static unsigned bits_of(uint64_t value)
{
	return value ? 64 - (unsigned)__builtin_clzll(value) : 0;
}

/* Make the kernel's multiplier. @from ticks are @to nanoseconds, and 600 s are
 * @idle_ticks. The kernel counts in kHz and millionths of a second on x86, in Hz
 * elsewhere, which decides how its quotient is rounded. */
static void make_rate(uint64_t from, uint64_t to, uint64_t idle_ticks,
		      struct tw_kernel_rate *rate)
{
	unsigned mult_bits, shift;
	uint64_t mult = 0;

	/* The bits that 600 s of ticks leave for the multiplier: of 64, 32 at
	 * most. */
	mult_bits = 32 - bits_of(idle_ticks >> 32);
	for (shift = 32; shift > 0; shift--) {
		mult = ((to << shift) + from / 2) / from;
		if (bits_of(mult) <= mult_bits)
			break;
	}
	/* NTP may add 11 %, and the sum must still fit in 32 bits. */
	while (bits_of(mult + mult * 11 / 100) > 32) {
		mult >>= 1;
		shift--;
	}
	*rate = (struct tw_kernel_rate) {
		.from_hz = idle_ticks / LONGEST_IDLE_S,
		.mult = (uint32_t)mult,
		.shift = shift,
		.hz = 1e9 * ldexp(1, (int)shift) / (double)mult,
	};
}

int tw_kernel_rate_of_khz(uint32_t khz, struct tw_kernel_rate *rate)
{
	if (khz < TW_MIN_HZ / 1000 || khz > TW_MAX_HZ / 1000)
		return -ERANGE;
	make_rate(khz, 1000000, (uint64_t)khz * 1000 * LONGEST_IDLE_S, rate);
	return 0;
}

int tw_kernel_rate_of_hz(uint64_t hz, struct tw_kernel_rate *rate)
{
	if (hz < TW_MIN_HZ || hz > UINT32_MAX)
		return -ERANGE;
	make_rate(hz, 1000000000, hz * LONGEST_IDLE_S, rate);
	return 0;
}

struct search {
	const struct tw_fit *fit;
	struct tw_kernel_rate nearest;
	double nearest_ppb;
	double next_ppb;		/* the second nearest multiplier */
	unsigned in_hard_interval;
};

static void look_at(struct search *search, const struct tw_kernel_rate *rate)
{
	double off_ppb;

	/* Above some 4 GHz neighbouring kHz can share a multiplier. */
	if (rate->mult == search->nearest.mult &&
	    rate->shift == search->nearest.shift)
		return;
	if (rate->hz >= search->fit->low_hz && rate->hz <= search->fit->high_hz)
		search->in_hard_interval++;
	off_ppb = fabs(rate->hz / search->fit->hz - 1) * 1e9;
	if (off_ppb < search->nearest_ppb) {
		search->next_ppb = search->nearest_ppb;
		search->nearest_ppb = off_ppb;
		search->nearest = *rate;
	} else if (off_ppb < search->next_ppb) {
		search->next_ppb = off_ppb;
	}
}

unsigned tw_kernel_rate_recognise(const struct tw_fit *fit,
				  const struct tw_kernel_candidates *candidates,
				  struct tw_kernel_rate *rate, int *alone)
{
	struct search search = {
		.fit = fit, .nearest_ppb = INFINITY, .next_ppb = INFINITY,
	};
	/* Rounding a multiplier moves its rate by up to 300 ppb. So a few kHz
	 * beyond the hard interval are tried, too, for the second nearest. */
	double low_khz = fit->low_hz / 1000 - 4, high_khz = fit->high_hz / 1000 + 4;
	struct tw_kernel_rate one;
	double near_ppb;

	if (fit->blocks < TW_FIT_MIN_BLOCKS)
		return TW_REFUSED_GAPS;
	if (candidates->declared_hz &&
	    !tw_kernel_rate_of_hz(candidates->declared_hz, &one))
		look_at(&search, &one);
	if (candidates->every_khz) {
		/* The hard interval can be too wide to go through. */
		if (!(low_khz > 0) || high_khz - low_khz > 1e6)
			return TW_REFUSED_AMBIGUOUS;
		for (uint32_t khz = (uint32_t)low_khz; khz <= (uint32_t)high_khz; khz++)
			if (!tw_kernel_rate_of_khz(khz, &one))
				look_at(&search, &one);
	}
	near_ppb = near_sigmas[fit->blocks] * fit->sigma_ppb +
		   fit->asymmetry_ppb;
	if (search.nearest_ppb > near_ppb ||
	    search.nearest.hz < fit->low_hz || search.nearest.hz > fit->high_hz)
		return TW_REFUSED_NO_CANDIDATE;
	if (search.next_ppb <= 2 * near_ppb ||
	    search.next_ppb <= TIMES_NEARER * search.nearest_ppb)
		return TW_REFUSED_AMBIGUOUS;
	*rate = search.nearest;
	*alone = search.in_hard_interval == 1;
	return 0;
}
