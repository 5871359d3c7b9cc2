/* SPDX-License-Identifier: MIT */
/*
 * Computes the kernel's multiplier from kHz or Hz, and tests when a fit may claim
 * it. Fails if a multiplier differs from what kernels are known to use, or if an
 * ambiguous, distant or gappy fit is accepted. Fails also if fewer blocks count as
 * much as all, or if a declared frequency is rounded to kHz.
 *
 * Also on other processors.
 */
#include <errno.h>
#include <math.h>

#include "clock/kernel_rate.h"
#include "tap.h"

static const struct tw_kernel_candidates every_khz = { .every_khz = 1 };

/*
 * Running kernels use the first two (seen in the rate of RAW itself); the third is
 * 2^24 * 1e6 / 2400000 = 6990506.67, which must go up. The fourth is in every boot log of a
 * POWER8 or POWER9 ("timebase mult[1f40000] shift[24]"). 600 s of 24 MHz leave 30 bits for
 * 41.67 * 2^24 = 699050666.67, of 62.5 MHz 28 bits for 16 * 2^23. The last is no whole number
 * of kHz: 2^24 * 1e9 / 19200001 = 873813287.8.
 */
static const struct {
	int is_khz;
	uint32_t value, mult, shift;
} known[] = {
	{ 1, 2599998, 6452780, 24 },
	{ 1, 2100000, 7989150, 24 },
	{ 1, 2400000, 6990507, 24 },
	{ 0, 512000000, 0x1f40000, 24 },
	{ 0, 24000000, 699050667, 24 },
	{ 0, 62500000, 1 << 27, 23 },
	{ 0, 19200001, 873813288, 24 },
};

static struct tw_fit fit_at(double hz, double sigma_ppb)
{
	return (struct tw_fit) {
		.hz = hz, .sigma_ppb = sigma_ppb, .asymmetry_ppb = 50,
		.low_hz = hz * (1 - 2e-6), .high_hz = hz * (1 + 2e-6),
		.blocks = TW_FIT_BLOCKS,
	};
}

/* One sigma of a fit that is @off of the way from 2599998 kHz (2100000, if @is_21) to the next,
 * or @ppb off it; its blocks, and its hard interval if not 2 ppm either way. */
static const struct {
	int is_21;
	double off, ppb, sigma_ppb;
	unsigned blocks;
	double low_ppb, high_ppb;
	unsigned refusal;
	int alone;
	const char *what;
} fits[] = {
	{ 0, 0, 5, 4, 16, 0, 0, 0, 0, "5 ppb from a multiplier: it is the one" },
	{ 0, 0, 5, 4, 16, -100, 100, 0, 1, "a narrow hard interval leaves it alone" },
	{ 0, 0, 5, 4, 16, 1, 100, TW_REFUSED_NO_CANDIDATE, 0, "outside the hard interval" },
	/* kHz at 2.6 GHz are 385 ppb apart: half way belongs to neither. */
	{ 0, 0, 190, 4, 16, 0, 0, TW_REFUSED_NO_CANDIDATE, 0, "half way between two" },
	{ 0, 0, 5, 40, 16, 0, 0, TW_REFUSED_AMBIGUOUS, 0, "an uncertain fit" },
	{ 0, 0, 0, 4, TW_FIT_MIN_BLOCKS - 1, 0, 0, TW_REFUSED_GAPS, 0, "too few blocks" },
	/* The nearest neighbour of 2100000 is 375.5 ppb off, so E may be 187.7 at most. Of
	 * that, 50 are asymmetry. 20 ppb are 6 sigma = 120 with all blocks and 9.81 sigma =
	 * 196.2 with eight; 13 ppb are then 127.5. */
	{ 1, 0, 0, 20, 16, 0, 0, 0, 0, "20 ppb of uncertainty in 16 blocks: enough" },
	{ 1, 0, 0, 20, 8, 0, 0, TW_REFUSED_AMBIGUOUS, 0, "the same in 8 blocks" },
	{ 1, 0, 0, 13, 8, 0, 0, 0, 0, "13 ppb there: enough" },
	/* A seventh of the way to the next multiplier is no rate of this kernel's; a tenth is
	 * as near as E = 80 can tell. */
	{ 1, 1 / 7.0, 0, 5, 16, 0, 0, TW_REFUSED_AMBIGUOUS, 0, "a seventh of the way" },
	{ 1, 1 / 10.0, 0, 5, 16, 0, 0, 0, 0, "a tenth of the way" },
};

static void measured(void)
{
	for (unsigned i = 0; i < sizeof(fits) / sizeof(*fits); i++) {
		uint32_t khz = fits[i].is_21 ? 2100000 : 2599998;
		struct tw_kernel_rate rate, next, found = { 0 };
		struct tw_fit fit;
		unsigned refusal;
		int alone = -1;

		tw_kernel_rate_of_khz(khz, &rate);
		tw_kernel_rate_of_khz(khz + 1, &next);
		fit = fit_at(rate.hz * (1 + fits[i].ppb * 1e-9) +
			     fits[i].off * (next.hz - rate.hz), fits[i].sigma_ppb);
		fit.blocks = fits[i].blocks;
		if (fits[i].high_ppb > 0) {
			fit.low_hz = rate.hz * (1 + fits[i].low_ppb * 1e-9);
			fit.high_hz = rate.hz * (1 + fits[i].high_ppb * 1e-9);
		}
		refusal = tw_kernel_rate_recognise(&fit, &every_khz, &found, &alone);
		tap_ok(refusal == fits[i].refusal &&
		       (refusal || (found.mult == rate.mult && alone == fits[i].alone)),
		       "%s: %s", fits[i].what, refusal ?
		       tw_name(TW_ENUM_RATE_REFUSAL, refusal) : "accepted");
	}
}

static void declared_frequency(void)
{
	/* 19200000 is 52 ppb away and a whole kHz: not what was declared. */
	static const struct {
		uint64_t declared_hz;
		double ppb;
		unsigned refusal;
		const char *what;
	} cases[] = {
		{ 19200001, -52, 0, "the declared frequency, not the next whole kHz" },
		{ 19200001, 80, TW_REFUSED_NO_CANDIDATE, "80 ppb away from it at 74: refused" },
		{ 0, 0, TW_REFUSED_NO_CANDIDATE, "nothing declared, nothing recognised" },
		{ 1000000, 0, TW_REFUSED_NO_CANDIDATE, "declared out of range: the same" },
	};
	struct tw_kernel_rate rate = { .hz = 2.6e9 }, found = { 0 };

	for (unsigned i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct tw_kernel_candidates one = { .declared_hz = cases[i].declared_hz };
		struct tw_fit fit;
		int alone = -1;

		tw_kernel_rate_of_hz(cases[i].declared_hz, &rate);
		fit = fit_at(rate.hz * (1 + cases[i].ppb * 1e-9), 4);
		tap_ok(tw_kernel_rate_recognise(&fit, &one, &found, &alone) ==
		       cases[i].refusal && (cases[i].refusal ||
		       (found.mult == rate.mult && found.hz == rate.hz)), "%s",
		       cases[i].what);
	}
}

int main(void)
{
	struct tw_kernel_rate rate = { 0 };

	for (unsigned i = 0; i < sizeof(known) / sizeof(*known); i++) {
		uint32_t value = known[i].value;

		tap_ok(!(known[i].is_khz ? tw_kernel_rate_of_khz(value, &rate) :
			 tw_kernel_rate_of_hz(value, &rate)) &&
		       rate.mult == known[i].mult && rate.shift == known[i].shift &&
		       rate.from_hz == (known[i].is_khz ? value * 1000ULL : value),
		       "%u %s: %u >> %u", value, known[i].is_khz ? "kHz" : "Hz",
		       known[i].mult, known[i].shift);
	}
	tap_ok(tw_kernel_rate_of_khz(9999, &rate) == -ERANGE &&
	       tw_kernel_rate_of_khz(10000001, &rate) == -ERANGE &&
	       tw_kernel_rate_of_hz(9999999, &rate) == -ERANGE &&
	       tw_kernel_rate_of_hz(1ULL << 32, &rate) == -ERANGE,
	       "outside 10 MHz to 10 GHz, under 10 MHz or over 32 bits: refused");
	measured();
	declared_frequency();
	return tap_done();
}
