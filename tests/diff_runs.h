/* SPDX-License-Identifier: MIT */
/* Random numbers, the same for each seed, and their comparison, for the tests of diff. */
#ifndef TW_TESTS_DIFF_RUNS_H
#define TW_TESTS_DIFF_RUNS_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>

static uint64_t diff_random_state = 1;

/* Return a uniform number, 0 <= x < 1, by xorshift64*. */
static inline double diff_uniform(void)
{
	diff_random_state ^= diff_random_state >> 12;
	diff_random_state ^= diff_random_state << 25;
	diff_random_state ^= diff_random_state >> 27;
	return (double)((diff_random_state * 0x2545f4914f6cdd1dULL) >> 11) * 0x1p-53;
}

/* Return a nearly normal number of deviation 1, the sum of four uniform ones. */
static inline double diff_normal(void)
{
	return (diff_uniform() + diff_uniform() + diff_uniform() + diff_uniform() - 2) *
	       sqrt(3);
}

/* Is it this number? Else print it. */
static inline int diff_nearly(double is, double should, double within)
{
	if (fabs(is - should) <= within)
		return 1;
	printf("# is %.12g, should be %.12g\n", is, should);
	return 0;
}

#endif
