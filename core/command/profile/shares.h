/* SPDX-License-Identifier: MIT */
/*
 * Shares of the time that a sampling profile sees, with the error that sampling
 * alone makes.
 *
 * Were samples independent, of n of them the share p of a function would scatter
 * by sqrt(p (1 - p) / n), the binomial's; with two samples added to both sides
 * (Agresti and Coull, The American Statistician 52, 1998) so that a function no
 * sample has found is not known for certain. They are not independent: what ran
 * at one sample runs at the next, or a loop keeps in step with the clock. So the
 * run is cut into blocks of as many samples, too; the scatter of a share among
 * them says how far off their mean is. The larger of the two is the error. A
 * program that does one thing after the other has blocks that differ though its
 * shares may be well known: the error is too large then, never too small.
 */
#ifndef TW_PROFILE_SHARES_H
#define TW_PROFILE_SHARES_H

#include <stddef.h>
#include <stdint.h>

#define TW_SHARE_BLOCKS	20
/* Fewer are not cut into blocks. */
#define TW_SHARE_MIN	(20 * TW_SHARE_BLOCKS)

struct tw_sampled {
	uint32_t what;
	double weight;			/* more than 0 */
};

struct tw_share {
	uint64_t samples;
	double share, error;		/* 0 to 1; 1 sigma */
	int correlated;			/* the blocks' error, beyond chance */
};

/* Of @count samples in the order of time the shares of what is numbered 0 to
 * @kinds - 1. 0; -ENOMEM; -EINVAL without a sample. Pure. */
int tw_shares(struct tw_share *shares, size_t kinds,
	      const struct tw_sampled *samples, size_t count);

#endif
