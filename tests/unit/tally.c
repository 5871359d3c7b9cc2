/* SPDX-License-Identifier: MIT */
/*
 * What is counted in bytes first leaves, once settled, bit for bit what counting
 * it directly leaves, in the histogram and in a coarse one beside it. Fails if a
 * full byte is lost or counted twice, if settling leaves out the first or last
 * bin or does not empty the tally, if sums or extremes wait for it, if the coarse
 * one is given something else, or if ticks are counted as other nanoseconds than
 * tw_ticks_to_ns() makes of them, one by one or four at a time, within one modulus
 * of the scale or beyond it.
 */
#include <stdbool.h>
#include <string.h>

#include "latency/tally.h"
#include "tap.h"

#define MOST	300

static struct tw_histogram direct, wide, coarse, coarse_direct;
static struct tw_tally tally;
static struct tw_scale scale;

static int same(const struct tw_histogram *a, const struct tw_histogram *b)
{
	return a->count == b->count && a->sum_ns == b->sum_ns &&
	       a->squares_ns2[0] == b->squares_ns2[0] &&
	       a->squares_ns2[1] == b->squares_ns2[1] &&
	       a->min_ns == b->min_ns && a->max_ns == b->max_ns &&
	       memcmp(a->bins, b->bins, a->bin_count * sizeof(*a->bins)) == 0;
}

static void add(const uint64_t *values_ns, size_t count, int with_coarse)
{
	tw_histogram_add_many(&direct, values_ns, count);
	if (with_coarse)
		tw_histogram_add_many(&coarse_direct, values_ns, count);
	tw_tally_add_many(&tally, &wide, with_coarse ? &coarse : NULL, NULL,
			  values_ns, count);
}

/* The same of ticks, each converted for itself. */
static void add_ticks(const uint64_t *ticks, size_t count, int with_coarse)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t ns = tw_ticks_to_ns(&scale, ticks[i]);

		tw_histogram_add(&direct, ns);
		if (with_coarse)
			tw_histogram_add(&coarse_direct, ns);
	}
	tw_tally_add_many(&tally, &wide, with_coarse ? &coarse : NULL, &scale,
			  ticks, count);
}

/* 0: as it has to be after each; else the round that was not. */
static int random_arrays(uint64_t *state)
{
	uint64_t values_ns[MOST];

	for (int round = 0; round < 300; round++) {
		size_t count = tap_random(state) % (MOST + 1);
		int narrow = round % 3;

		/* 10 bits to 64; or few enough that bytes get full */
		for (size_t i = 0; i < count; i++) {
			uint64_t random = tap_random(state);

			values_ns[i] = narrow ? 5000 + random % 16 :
						random >> (random % 55);
		}
		(round % 4 < 2 ? add : add_ticks)(values_ns, count, round % 2);
		if (round % 5 == 0)
			tw_tally_settle(&tally, &wide);
		if (round % 5 == 0 && !same(&direct, &wide))
			return round + 1;
	}
	return 0;
}

static int is_empty(void)
{
	for (uint32_t bin = 0; bin < tally.bin_count; bin++)
		if (tally.bins[bin])
			return 0;
	return 1;
}

/* Within one modulus; not much beyond it; and up to more than there can be. */
static void edges_of_scale(void)
{
	const uint64_t ticks[] = {
		scale.mask, 0, 1, scale.mask - 1, scale.mask + 1,
		scale.mask * 3, scale.max_ticks, scale.max_ticks + 1,
		UINT64_MAX,
	};

	add_ticks(ticks, 4, 1);
	add_ticks(ticks + 4, 2, 1);
	add_ticks(ticks, sizeof(ticks) / sizeof(*ticks), 1);
	tw_tally_settle(&tally, &wide);
	tap_ok(same(&direct, &wide) && same(&coarse, &coarse_direct),
	       "ticks about one modulus and about the most there can be");
}

/* As many of each length, from 1 tick on. */
static uint64_t some_ticks(uint64_t *state, uint64_t end_ticks)
{
	uint64_t ticks = tap_random(state) >> (20 + tap_random(state) % 44);

	return ticks % end_ticks;
}

/*
 * What can be converted four at a time, at any rate and with any digits: counts
 * that four does not divide, more than one block; then the last tick that can be
 * and one that can't.
 */
static void short_ones(uint64_t *state, unsigned digits, double hz,
		       bool suits)
{
	const struct tw_rate rate = { .hz = hz };
	uint64_t ticks[MOST], end_ticks, beyond_ticks, most_ticks = 1;
	int extremes = 1;

	if (!tap_ok(!tw_histogram_init(&direct, digits) &&
		    !tw_histogram_init(&wide, digits) &&
		    !tw_histogram_init(&coarse, 1) &&
		    !tw_histogram_init(&coarse_direct, 1) &&
		    !tw_tally_init(&tally, &wide) &&
		    !tw_scale_init(&scale, &rate, 0) &&
		    (scale.mult >> 32 == 0) == suits,
		    "a multiplier of %d bits", 64 - __builtin_clzll(scale.mult)))
		return;
	end_ticks = (uint64_t)(hz / 1e9 * (1 << 24)) - 8;
	while (tw_ticks_to_ns(&scale, end_ticks) < 1 << 24)
		end_ticks++;
	/* which no float holds */
	beyond_ticks = end_ticks;
	while (tw_ticks_to_ns(&scale, beyond_ticks) == 1 << 24)
		beyond_ticks++;
	/* Any bits that are set in a call count, together. */
	while (most_ticks * 2 <= end_ticks)
		most_ticks *= 2;
	for (int round = 0; round < 400; round++) {
		size_t count = tap_random(state) % (MOST + 1);

		for (size_t i = 0; i < count; i++)
			ticks[i] = round < 200 ? some_ticks(state, most_ticks) :
				   round % 4 < 2 ? end_ticks - 1 :
						   beyond_ticks;
		add_ticks(ticks, count, round % 2);
		extremes &= wide.min_ns == direct.min_ns &&
			    wide.max_ns == direct.max_ns &&
			    coarse.min_ns == coarse_direct.min_ns &&
			    coarse.max_ns == coarse_direct.max_ns;
	}
	tw_tally_settle(&tally, &wide);
	tap_ok(extremes && same(&direct, &wide) && same(&coarse, &coarse_direct),
	       "%u digits at %.0f Hz: short ones", digits, hz);
	tw_tally_free(&tally);
	tw_histogram_free(&direct);
	tw_histogram_free(&wide);
	tw_histogram_free(&coarse);
	tw_histogram_free(&coarse_direct);
}

/* One value so often, and no settling before the end. */
static void full_bytes(unsigned times)
{
	const uint64_t value_ns = 123456;

	for (unsigned i = 0; i < times; i++)
		add(&value_ns, 1, 0);
	tap_ok(wide.count == direct.count && wide.sum_ns == direct.sum_ns,
	       "%u times one value: count and sum are right at once", times);
	tw_tally_settle(&tally, &wide);
	tap_ok(same(&direct, &wide), "and its bin when that is settled");
}

int main(void)
{
	static const uint64_t edges_ns[] = {
		7, 0, UINT64_MAX, 1, 1023, 1024, 2047, 2048, 1ULL << 63, 5,
	};
	const struct tw_rate rate = { .hz = 2599998000.0 };
	uint64_t state = tap_seed();
	int round;

	if (!tap_ok(!tw_histogram_init(&direct, 3) &&
		    !tw_histogram_init(&wide, 3) &&
		    !tw_histogram_init(&coarse, 1) &&
		    !tw_histogram_init(&coarse_direct, 1) &&
		    !tw_tally_init(&tally, &wide) &&
		    !tw_scale_init(&scale, &rate, 0), "init"))
		return tap_done();
	tw_tally_settle(&tally, &wide);
	tap_ok(same(&direct, &wide), "an empty one settles to nothing");
	add(edges_ns, sizeof(edges_ns) / sizeof(*edges_ns), 1);
	tw_tally_settle(&tally, &wide);
	tap_ok(same(&direct, &wide) && same(&coarse, &coarse_direct),
	       "edges of bins, 0 and 2^64 - 1");
	edges_of_scale();
	full_bytes(255);
	full_bytes(256);
	full_bytes(257);
	full_bytes(1000);
	round = random_arrays(&state);
	tap_ok(round == 0, "300 random arrays (first different: %d)", round);
	tw_tally_settle(&tally, &wide);
	tap_ok(same(&direct, &wide), "and at the end");
	tap_ok(same(&coarse, &coarse_direct), "the coarse one has the same");
	tap_ok(is_empty(), "nothing is left in the tally");
	tw_tally_free(&tally);
	tap_ok(!tally.bins, "freed");
	tw_tally_free(&tally);
	tw_histogram_free(&direct);
	tw_histogram_free(&wide);
	tw_histogram_free(&coarse);
	tw_histogram_free(&coarse_direct);
	for (unsigned digits = 1; digits <= 5; digits++) {
		short_ones(&state, digits, 1e9, true);
		short_ones(&state, digits, 2099999000.0, true);
		short_ones(&state, digits, 19200000.0, false);
	}
	return tap_done();
}
