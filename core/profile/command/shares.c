/* SPDX-License-Identifier: MIT */
/*
 * The arithmetic of shares.h. Pure.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/allocate.h"
#include "profile/command/shares.h"

/* With independent samples, blocks scatter by 1.5 times as much in one of a
 * thousand cases (chi-squared with 19 degrees of freedom). */
#define CORRELATED	1.5

struct sums {
	double weight, squares;
};

static struct sums add_up(struct tw_share *shares,
			  const struct tw_sampled *samples, size_t count)
{
	struct sums sums = { 0, 0 };

	for (size_t i = 0; i < count; i++) {
		shares[samples[i].what].samples++;
		shares[samples[i].what].share += samples[i].weight;
		sums.weight += samples[i].weight;
		sums.squares += samples[i].weight * samples[i].weight;
	}
	return sums;
}

/* Return the error that @n independent samples would have. */
static double binomial(double share, double n)
{
	double p = (share * n + 2) / (n + 4);

	return sqrt(p * (1 - p) / (n + 4));
}

/* Compute the error of the mean of the blocks, from their scatter. */
static void block_errors(double *errors, size_t kinds,
			 const struct tw_sampled *samples, size_t count)
{
	double *block = tw_zalloc(kinds, sizeof(*block));
	double *sum = tw_zalloc(kinds, sizeof(*sum));

	for (size_t b = 0, i = 0; b < TW_SHARE_BLOCKS; b++) {
		double weight = 0;

		for (; i < (b + 1) * count / TW_SHARE_BLOCKS; i++) {
			block[samples[i].what] += samples[i].weight;
			weight += samples[i].weight;
		}
		for (size_t what = 0; what < kinds; what++) {
			double share = block[what] / weight;

			sum[what] += share;
			errors[what] += share * share;
			block[what] = 0;
		}
	}
	for (size_t what = 0; what < kinds; what++) {
		double mean = sum[what] / TW_SHARE_BLOCKS;
		double about = errors[what] / TW_SHARE_BLOCKS - mean * mean;

		errors[what] = about > 0 ?
			       sqrt(about / (TW_SHARE_BLOCKS - 1)) : 0;
	}
	free(block);
	free(sum);
}

int tw_shares(struct tw_share *shares, size_t kinds,
	      const struct tw_sampled *samples, size_t count)
{
	double *blocks;
	struct sums sums;

	if (!count)
		return -EINVAL;
	blocks = tw_zalloc(kinds, sizeof(*blocks));
	for (size_t i = 0; i < kinds; i++)
		shares[i] = (struct tw_share) { 0 };
	if (count >= TW_SHARE_MIN)
		block_errors(blocks, kinds, samples, count);
	sums = add_up(shares, samples, count);
	for (size_t i = 0; i < kinds; i++) {
		struct tw_share *share = &shares[i];

		share->share /= sums.weight;
		/* Samples of different weights count as fewer samples of equal
		 * weight. */
		share->error = binomial(share->share, sums.weight *
					sums.weight / sums.squares);
		share->correlated = blocks[i] > CORRELATED * share->error;
		share->error = fmax(share->error, blocks[i]);
	}
	free(blocks);
	return 0;
}
