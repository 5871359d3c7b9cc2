/* SPDX-License-Identifier: MIT */
/*
 * Random numbers for orders of visiting, reproducible and without bias.
 * xoshiro256** and splitmix64 are by Blackman and Vigna (prng.di.unimi.it). The
 * bounded form is by Lemire, "Fast random integer generation in an interval"
 * (2019). Internal, pure.
 */
#ifndef TW_MEMORY_RANDOM_H
#define TW_MEMORY_RANDOM_H

#include <stdint.h>

static inline void tw_random_seed(uint64_t state[4], uint64_t seed)
{
	for (int i = 0; i < 4; i++) {
		uint64_t z = seed += 0x9e3779b97f4a7c15u;

		z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
		z = (z ^ z >> 27) * 0x94d049bb133111ebu;
		state[i] = z ^ z >> 31;
	}
}

static inline uint64_t tw_random_rotate(uint64_t value, unsigned by)
{
	return value << by | value >> (64 - by);
}

static inline uint64_t tw_random_next(uint64_t state[4])
{
	uint64_t result = tw_random_rotate(state[1] * 5, 7) * 9;
	uint64_t shifted = state[1] << 17;

	state[2] ^= state[0];
	state[3] ^= state[1];
	state[1] ^= state[2];
	state[0] ^= state[3];
	state[2] ^= shifted;
	state[3] = tw_random_rotate(state[3], 45);
	return result;
}

/* Return 0 to @bound - 1, all equally likely; @bound 1 to 2^32. */
static inline uint64_t tw_random_below(uint64_t state[4], uint64_t bound)
{
	uint64_t product = (tw_random_next(state) >> 32) * bound;

	/* The low half is the place within a share. The first 2^32 mod bound
	 * places of each share are too many. */
	if ((uint32_t)product < bound) {
		uint32_t excess = (uint32_t)((UINT64_C(1) << 32) % bound);

		while ((uint32_t)product < excess)
			product = (tw_random_next(state) >> 32) * bound;
	}
	return product >> 32;
}

#endif
