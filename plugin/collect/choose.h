/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Choose I/Os at random: each with the same chance of 1 in 2^shift, whatever was chosen
 * before. So a device that is slow for each 16th I/O is seen as it is. The gaps between
 * chosen I/Os are drawn, not each I/O. Arithmetic only.
 */
#ifndef TW_COLLECT_CHOOSE_H
#define TW_COLLECT_CHOOSE_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#define TW_CHOOSE_SHIFT_MAX	20

struct tw_chooser {
	uint64_t random;	/* the state of the generator; never 0 */
	uint64_t left;		/* I/Os until the next chosen one, with it */
	double log_miss;	/* logarithm of the chance not to be chosen */
	unsigned shift;
};

/* Return the next random number (xorshift64*: G. Marsaglia, S. Vigna). */
static inline uint64_t tw_choose_random(uint64_t *random)
{
	uint64_t x = *random;

	x ^= x >> 12;
	x ^= x << 25;
	x ^= x >> 27;
	*random = x;
	return x * 0x2545f4914f6cdd1dULL;
}

/* Return a random number above 0 and at most 1. */
static inline double tw_choose_part(uint64_t *random)
{
	return (double) ((tw_choose_random(random) >> 11) + 1) * 0x1p-53;
}

/* Draw how many I/Os pass until one is chosen: a geometric distribution. */
static inline uint64_t tw_choose_gap(struct tw_chooser *chooser)
{
	const double u = tw_choose_part(&chooser->random);

	return chooser->shift ? 1 + (uint64_t) (log(u) / chooser->log_miss) : 1;
}

/* Choose 1 in 2^@shift from now on. @seed: any number, in the first call. */
static inline void tw_choose_init(struct tw_chooser *chooser, unsigned shift, uint64_t seed)
{
	chooser->shift = shift;
	chooser->log_miss = log1p(-ldexp(1, -(int) shift));
	chooser->random ^= seed * 0x9e3779b97f4a7c15ULL;
	chooser->random |= !chooser->random;
	chooser->left = tw_choose_gap(chooser);
}

/* Return true if the next I/O is chosen. */
static inline bool tw_choose(struct tw_chooser *chooser)
{
	if (--chooser->left)
		return false;
	chooser->left = tw_choose_gap(chooser);
	return true;
}

/* Sums over pairs of spans, in ps: without splitting, with it, and the squares of the
 * differences in ns. */
struct tw_pairs {
	uint64_t off_ps;
	uint64_t on_ps;
	uint64_t squares_ns2;
};

/* A difference of a second and more is no cost. Its square would be too large. */
static inline bool tw_pair_is_good(const uint64_t off_on_ps[2])
{
	return off_on_ps[0] < 1000000000000 && off_on_ps[1] < 1000000000000;
}

static inline void tw_pairs_add(struct tw_pairs *pairs, const uint64_t off_on_ps[2])
{
	const double off_ns = ((double) off_on_ps[1] - (double) off_on_ps[0]) / 1e3;

	pairs->off_ps += off_on_ps[0];
	pairs->on_ps += off_on_ps[1];
	pairs->squares_ns2 += (uint64_t) llround(off_ns * off_ns);
}

/*
 * Return the smallest shift with which splitting costs at most @percent of the job's CPU
 * time. @cost_ns: of an I/O that is split. @cpu_ns: the job's CPU time for @ios I/Os, of
 * which 1 in 2^@old was split. At least half of it counts as the job's own.
 */
static inline unsigned tw_choose_shift(double cost_ns, double percent, uint64_t cpu_ns,
				       uint64_t ios, unsigned old)
{
	const double all_ns = cost_ns * (double) ios;
	const double own_ns = fmax((double) cpu_ns - ldexp(all_ns, -(int) old),
				   (double) cpu_ns / 2);
	unsigned shift = 0;

	while (shift < TW_CHOOSE_SHIFT_MAX &&
	       ldexp(all_ns, -(int) shift) > own_ns * percent / 100)
		shift++;
	return shift;
}

#endif
