/* SPDX-License-Identifier: MIT */
/*
 * Computes the shares of the time in a sampling profile, and the error that
 * sampling alone makes.
 *
 * With n independent samples, the share p of a function would scatter by sqrt(p
 * (1 - p) / n), as a binomial does. Two samples are added to both sides
 * (Agresti and Coull, The American Statistician 52, 1998), so that the share of
 * a function without samples has an error, too.
 *
 * Samples are not independent: a function that runs at one sample still runs at
 * the next, or a loop is in step with the clock. So the run is also cut into
 * blocks with the same number of samples. The scatter of a share between blocks
 * gives the error of their mean. The error of a share is the larger of the two.
 * The blocks of a program that does different things in sequence differ, even
 * if its shares are well known. The error is then too large, never too small.
 */
#ifndef TW_PROFILE_SHARES_H
#define TW_PROFILE_SHARES_H

#include <stddef.h>
#include <stdint.h>

#define TW_SHARE_BLOCKS	20
/* Fewer samples are not cut into blocks. */
#define TW_SHARE_MIN	(20 * TW_SHARE_BLOCKS)

struct tw_sampled {
	uint32_t what;
	double weight;			/* more than 0 */
};

struct tw_share {
	uint64_t samples;
	double share, error;		/* 0 to 1; 1 sigma */
	int correlated;			/* 1: the blocks' error is larger than
					 * chance explains */
};

/* Compute the shares of @kinds things, numbered from 0, of @count samples in
 * the order of time. Pure. Return: 0; -EINVAL without a sample. */
int tw_shares(struct tw_share *shares, size_t kinds,
	      const struct tw_sampled *samples, size_t count);

#endif
