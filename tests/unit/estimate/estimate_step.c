/* SPDX-License-Identifier: MIT */
/*
 * A counter shows whole steps only. The interval holds the true offset, also one
 * that is a part of a step, is never "0", and is exactly a step wider each way than
 * the readings. The step is found among the readings.
 *
 * Fails if readings are taken for exact: two counters half a step apart, read at
 * the same edges, are then at most 0 apart. Fails also if the step is added twice,
 * or if a counter that moves by 41 and 42 in turns passes as one that moves by 1.
 */
#include <math.h>

#include "estimate/step.h"
#include "estimate_generate.h"

#define PARTS	16	/* of a tick, the unit of time and truth */

/* Return what a counter that is @ahead shows at @time, both in parts of a tick. */
static uint64_t shows(uint64_t time, int64_t ahead, uint64_t step_ticks)
{
	return (time + (uint64_t)ahead) / PARTS / step_ticks * step_ticks;
}

static void judge(struct made *made, uint64_t step_ticks)
{
	struct tw_judge_limits limits = {
		.tolerance_ticks = 1000,
		.least_switches = 100,
		.pace_limit_ppb = 1000,
		.step_ticks = (double)step_ticks,
	};

	tw_judge(&made->result, made->cpus, made->count, &limits, &made->work);
	tw_trust_cpus(&made->result);
}

/* Make readings from almost nothing to three steps apart: dense enough for 0. */
static void fill(struct made *made, int64_t ahead, uint64_t step_ticks,
		 uint64_t *random)
{
	uint64_t time = PARTS * (UINT64_C(1) << 40);
	unsigned i;

	made_init(made, 2, 1000);
	for (i = 0; i < 1000; i++) {
		unsigned cpu = (unsigned)(tap_random(random) >> 33) % 2;

		time += 1 + (tap_random(random) >> 11) %
			    (3 * PARTS * step_ticks);
		made_add(made, cpu, shows(time, cpu ? ahead : 0, step_ticks));
	}
	judge(made, step_ticks);
}

/* True if a proof is reported as one, and anything else allows 0. */
static int says_what_it_shows(const struct tw_reliability *result)
{
	int without_zero = result->offsets[0].low_ticks >= 0 ||
			   result->offsets[0].high_ticks <= 0;

	return !(result->reasons & TW_REASON_OFFSET) == !without_zero;
}

static void try_truth(uint64_t step_ticks, uint64_t *random)
{
	unsigned held = 0, honest = 0, zero = 0;
	int64_t narrowest = INT64_MAX;
	unsigned i;

	for (i = 0; i < 500; i++) {
		int64_t span = (int64_t)step_ticks * PARTS * 3;
		int64_t ahead = (int64_t)(tap_random(random) >> 11) %
				(2 * span) - span;
		const struct tw_cpu_offset *pair;
		struct made made;

		fill(&made, ahead, step_ticks, random);
		pair = &made.result.offsets[0];
		held += pair->low_ticks * PARTS < ahead &&
			pair->high_ticks * PARTS > ahead;
		honest += (unsigned)says_what_it_shows(&made.result);
		zero += pair->low_ticks == 0 && pair->high_ticks == 0;
		if (pair->high_ticks - pair->low_ticks < narrowest)
			narrowest = pair->high_ticks - pair->low_ticks;
		made_free(&made);
	}
	tap_is_u64(held, 500, "intervals that hold the truth");
	tap_is_u64(honest, 500, "reasons that are those of the intervals");
	tap_is_u64(zero, 0, "intervals of nothing but 0");
	tap_note("steps of %" PRIu64 ": the narrowest is %" PRId64 " ticks",
		 step_ticks, narrowest);
}

/* By turns, 50 ticks apart: the readings alone give -50 to 50. */
static void try_width(uint64_t step_ticks, int64_t should_ticks)
{
	struct made made;
	unsigned i;

	made_init(&made, 2, 400);
	for (i = 0; i < 400; i++) {
		made.time_ticks += 50;
		made_add(&made, i % 2, made.time_ticks);
	}
	judge(&made, step_ticks);
	tap_ok(made.result.offsets[0].low_ticks == -should_ticks &&
	       made.result.offsets[0].high_ticks == should_ticks,
	       "a step of %" PRIu64 ": 50 becomes %" PRId64, step_ticks,
	       should_ticks);
	made_free(&made);
}

/* A clock of @slow_hz shown as @shown_hz, read some 20 ns apart. */
static void try_found(uint64_t slow_hz, uint64_t shown_hz, double should,
		      uint64_t *random)
{
	struct made made;
	uint64_t picoseconds = 1000000;
	double found;
	unsigned i;

	made_init(&made, 2, 1000);
	for (i = 0; i < 1000; i++) {
		uint64_t cycles;

		picoseconds += 10000 + (tap_random(random) >> 11) % 20000;
		cycles = picoseconds * (slow_hz / 1000000) / 1000000;
		made_add(&made, i / 3 % 2, cycles * (shown_hz / 1000000) /
						   (slow_hz / 1000000));
	}
	found = tw_step_of_samples(made.cpus, 2);
	tap_ok(fabs(found - should) < 0.1, "a step of %.2f: %.2f is found",
	       should, found);
	made_free(&made);
}

static void try_none(void)
{
	struct made made;

	made_init(&made, 1, 2);
	tap_ok(tw_step_of_samples(made.cpus, 1) == 1, "of no reading: 1");
	made_add(&made, 0, 5);
	made_add(&made, 0, 5);
	tap_ok(tw_step_of_samples(made.cpus, 1) == 1, "of equal ones: 1");
	made_free(&made);
}

int main(void)
{
	uint64_t random = tap_seed();

	try_truth(1, &random);
	try_truth(2, &random);
	try_truth(42, &random);
	try_width(0, 51);
	try_width(1, 51);
	try_width(2, 52);
	try_width(38, 88);
	try_found(2600000000, 2600000000, 1, &random);
	try_found(1300000000, 2600000000, 2, &random);
	try_found(100000000, 3800000000, 38, &random);
	try_found(25000000, 1000000000, 40, &random);
	try_found(24000000, 1000000000, 1000 / 24.0, &random);
	try_found(10000000, 10000000, 1, &random);
	try_none();
	return tap_done();
}
