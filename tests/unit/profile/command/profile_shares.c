/* SPDX-License-Identifier: MIT */
/*
 * Shares of samples, and their error by sampling alone. For independent samples one
 * error covers the truth in two of three cases; it also does for samples that come
 * in runs, and those are recognised. Fails if the binomial is used for dependent
 * samples (far too many are outside), if weights are forgotten, or if a function
 * without a sample is known for certain.
 */
#include <errno.h>
#include <math.h>

#include "profile/command/profiles.h"
#include "tap.h"

#define ROUNDS	2000
#define SAMPLES	4000
#define KINDS	3

static struct tw_sampled samples[SAMPLES];

static double uniform(uint64_t *state)
{
	return (double)(tap_random(state) >> 11) / 9007199254740992.;
}

/*
 * Draw the numbers 0 to 2 with shares 0.1, 0.3, 0.6, each for a run of samples with
 * the mean length @run.
 */
static void draw(uint64_t *state, double run)
{
	uint32_t what = 0;

	for (int i = 0; i < SAMPLES; i++) {
		double u = uniform(state);

		if (i == 0 || uniform(state) * run < 1)
			what = u < .1 ? 0 : u < .4 ? 1 : 2;
		samples[i] = (struct tw_sampled) { what, 1 };
	}
}

/* Count in how many rounds the truth of number 1 is within @sigmas errors. */
static int covered(uint64_t *state, double run, double sigmas, int *correlated)
{
	struct tw_share shares[KINDS];
	int inside = 0;

	*correlated = 0;
	for (int round = 0; round < ROUNDS; round++) {
		draw(state, run);
		tw_shares(shares, KINDS, samples, SAMPLES);
		inside += fabs(shares[1].share - .3) <
			  sigmas * shares[1].error;
		*correlated += shares[1].correlated;
	}
	return inside;
}

/*
 * Normal: 1365 of 2000 within one error, 1994 within three. With 20 blocks (19
 * degrees of freedom) 1340 and 1985, and the larger of two estimates covers more.
 * Runs that cross the end of a block of 200 make the error 1 % too small: 1325 and
 * 1984. Five standard deviations of such counts are 105 and 20.
 */
static void coverage(uint64_t *state)
{
	int correlated, inside = covered(state, 1, 1, &correlated);

	tap_ok(inside > 1220, "independent: %d of %d within one error", inside,
	       ROUNDS);
	/* One of a thousand is expected: 2, and 15 would be no chance. */
	tap_ok(correlated < 15, "%d of them taken for runs", correlated);
	inside = covered(state, 1, 3, &correlated);
	tap_ok(inside > 1964, "%d within three", inside);
	inside = covered(state, 5, 1, &correlated);
	tap_ok(inside > 1220, "runs of 5: %d within one error", inside);
	/* Three times the binomial's, by 20 blocks: half of that is rare. */
	tap_ok(correlated > ROUNDS - ROUNDS / 100, "%d of them recognised",
	       correlated);
	inside = covered(state, 5, 3, &correlated);
	tap_ok(inside > 1964, "%d within three", inside);
}

static void few(void)
{
	static const struct tw_sampled some[] = {
		{ 0, 1 }, { 0, 1 }, { 1, 2 }, { 0, 4 },
	};
	struct tw_share shares[KINDS];

	tw_shares(shares, KINDS, some, 4);
	tap_ok(fabs(shares[0].share - .75) < 1e-12 &&
	       fabs(shares[1].share - .25) < 1e-12, "weights count");
	tap_ok(shares[0].samples == 3 && shares[1].samples == 1 &&
	       shares[2].samples == 0, "so do samples");
	/* Equal to 64 / 22 samples of one weight; p is (0 + 2) / (2.909 + 4). */
	tap_ok(fabs(shares[2].error - sqrt(.28947 * .71053 / 6.90909)) < 1e-4,
	       "none seen is not none for certain: %.4f", shares[2].error);
}

/*
 * Of 20 blocks every other one is of 0, the rest of 1. Shares scatter by 0.5 about
 * 0.5, so their mean is known to sqrt(0.25 / 19).
 */
static void blocks_exact(void)
{
	struct tw_share shares[2];

	for (int i = 0; i < SAMPLES; i++)
		samples[i] = (struct tw_sampled) {
			(uint32_t)(i / (SAMPLES / TW_SHARE_BLOCKS) % 2), 1
		};
	tw_shares(shares, 2, samples, SAMPLES);
	tap_ok(fabs(shares[0].share - .5) < 1e-12 &&
	       fabs(shares[0].error - sqrt(.25 / 19)) < 1e-12 &&
	       shares[0].correlated, "blocks by turns: +- %.6f",
	       shares[0].error);
}

int main(void)
{
	uint64_t state = tap_seed();

	few();
	blocks_exact();
	coverage(&state);
	return tap_done();
}
