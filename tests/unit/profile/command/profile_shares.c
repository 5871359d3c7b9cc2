/* SPDX-License-Identifier: MIT */
/*
 * Shares of samples, and their error by sampling alone: that of independent samples, or that of
 * the scatter of twenty blocks if it is larger, as it is for samples that come in runs. Those are
 * recognised. Fails if the binomial is used for dependent samples, if weights are forgotten, or
 * if a function without a sample is known for certain.
 */
#include <math.h>

#include "profile/command/profiles.h"
#include "tap.h"

#define SAMPLES	4000
#define BLOCK	(SAMPLES / TW_SHARE_BLOCKS)

static void few(void)
{
	static const struct tw_sampled some[] = {
		{ 0, 1 }, { 0, 1 }, { 1, 2 }, { 0, 4 },
	};
	struct tw_share shares[3];

	tw_shares(shares, 3, some, 4);
	tap_ok(fabs(shares[0].share - .75) < 1e-12 &&
	       fabs(shares[1].share - .25) < 1e-12, "weights count");
	tap_ok(shares[0].samples == 3 && shares[1].samples == 1 &&
	       shares[2].samples == 0, "so do samples");
	/* Equal to 64 / 22 samples of one weight; p is (0 + 2) / (2.909 + 4). */
	tap_ok(fabs(shares[2].error - sqrt(.28947 * .71053 / 6.90909)) < 1e-4,
	       "none seen is not none for certain: %.4f", shares[2].error);
}

/*
 * Blocks by turns have @more samples of 0 than of 1, or as many fewer. Their shares scatter by
 * d = more / 400 about 0.5, so their mean is known to sqrt(d^2 / 19). Independent samples have
 * an error of sqrt(0.25 / 4004).
 */
static void blocks(int more, int is_correlated)
{
	static struct tw_sampled samples[SAMPLES];
	double scatter = more / (2. * BLOCK) / sqrt(19), binomial = sqrt(.25 / 4004);
	struct tw_share shares[2];

	for (int i = 0; i < SAMPLES; i++) {
		int zeros = (BLOCK + (i / BLOCK % 2 ? more : -more)) / 2;

		samples[i] = (struct tw_sampled) { i % BLOCK >= zeros, 1 };
	}
	tw_shares(shares, 2, samples, SAMPLES);
	tap_ok(fabs(shares[0].share - .5) < 1e-12 &&
	       fabs(shares[0].error - fmax(scatter, binomial)) < 1e-12 &&
	       shares[0].correlated == is_correlated, "%d more in a block: +- %.6f%s", more,
	       shares[0].error, shares[0].correlated ? ", in runs" : "");
}

int main(void)
{
	few();
	blocks(0, 0);
	/* 1.5 times the binomial error is one chance in a thousand: 20.7 more. */
	blocks(20, 0);
	blocks(22, 1);
	blocks(BLOCK, 1);
	return tap_done();
}
