/* SPDX-License-Identifier: MIT */
/*
 * Every cycle is equally likely over seeds, also one that was grown in two steps,
 * and the same seed gives the same cycle. Fails for a biased shuffle, for rand() %
 * n, and for a cycle whose growth prefers some places.
 */
#include <math.h>
#include <string.h>

#include "memory/cycle.h"
#include "tap.h"

/* Five elements have (5 - 1)! = 24 different cycles. */
#define ELEMENTS	5
#define CYCLES		24
#define TRIES		48000

/*
 * Return the order as a number: which of the elements not yet visited comes next,
 * digit by digit. Each of the 24 cycles has its own.
 */
static unsigned number_of(const struct tw_cycle *cycle, char *memory)
{
	int used[ELEMENTS] = { 1 };
	void *at = tw_cycle_first(cycle);
	unsigned number = 0;

	for (unsigned left = ELEMENTS - 1; left > 0; left--) {
		unsigned digit = 0, next;

		at = *(void **)at;
		next = (unsigned)(((char *)at - memory) / 64);
		for (unsigned i = 0; i < next; i++)
			digit += !used[i];
		used[next] = 1;
		number = number * left + digit;
	}
	return number;
}

/*
 * Chi-square with 23 degrees of freedom has mean 23 and variance 46. By the
 * Wilson-Hilferty form (chi2 / 23)^(1/3) is normal with mean 1 - 2 / (9 * 23) and
 * variance 2 / (9 * 23). Five of its sigmas: once in 3.5 million tests.
 */
static double limit(void)
{
	double v = 2.0 / (9 * (CYCLES - 1));

	return (CYCLES - 1) * pow(1 - v + 5 * sqrt(v), 3);
}

static void check(uint64_t seed, int kind, size_t first_bytes, unsigned passes)
{
	_Alignas(64) char memory[ELEMENTS * 64];
	unsigned counts[CYCLES] = { 0 };
	double chi2 = 0, expected = (double)TRIES / CYCLES;

	for (unsigned i = 0; i < TRIES; i++) {
		struct tw_cycle_shape shape = {
			.kind = (enum tw_cycle_kind)kind, .stride_bytes = 64,
			.window_bytes = 64 * ELEMENTS, .passes = passes,
			.seed = seed + i,
		};
		struct tw_cycle cycle;

		tw_cycle_init(&cycle, &shape, memory);
		if (first_bytes)
			tw_cycle_grow(&cycle, first_bytes);
		tw_cycle_grow(&cycle, sizeof(memory));
		counts[number_of(&cycle, memory)]++;
	}
	for (int i = 0; i < CYCLES; i++)
		chi2 += (counts[i] - expected) * (counts[i] - expected) /
			expected;
	tap_ok(chi2 < limit(), "%s%s: chi-square %.1f, below %.1f",
	       tw_cycle_names[kind], first_bytes ? ", grown" : "", chi2,
	       limit());
}

static void check_same(uint64_t seed)
{
	static _Alignas(64) char memory[2][1 << 16];

	for (int kind = 0; kind < TW_CYCLE_KINDS; kind++) {
		struct tw_cycle_shape shape = {
			.kind = (enum tw_cycle_kind)kind, .stride_bytes = 64,
			.window_bytes = 4096, .passes = 4, .page_bytes = 1024,
			.seed = seed,
		};
		struct tw_cycle cycles[2];
		int same = 1;

		for (int i = 0; i < 2; i++) {
			tw_cycle_init(&cycles[i], &shape, memory[i]);
			/* Grow one in two steps. */
			if (i)
				tw_cycle_grow(&cycles[i], 1 << 15);
			tw_cycle_grow(&cycles[i], 1 << 16);
		}
		for (size_t i = 0; i < cycles[0].count; i++) {
			static char *at[2];

			for (int j = 0; j < 2; j++)
				at[j] = i ? *(char **)at[j] :
					    tw_cycle_first(&cycles[j]);
			same &= at[0] - memory[0] == at[1] - memory[1];
		}
		tap_ok(same, "%s: the same seed, the same cycle, in one step "
		       "or two", tw_cycle_names[kind]);
	}
}

int main(void)
{
	uint64_t seed = tap_seed();

	check(seed, TW_CYCLE_RANDOM, 0, 1);
	check(seed, TW_CYCLE_RANDOM, 3 * 64, 1);
	check(seed, TW_CYCLE_WINDOW, 0, 1);
	check_same(seed);
	return tap_done();
}
