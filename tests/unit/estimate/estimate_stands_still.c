/* SPDX-License-Identifier: MIT */
/*
 * A counter that does not move is unreliable, also on one CPU of several. A counter
 * that is merely slow is not accused of it.
 *
 * Fails if only differences between CPUs are checked: counters that all stand at
 * the same value agree perfectly.
 */
#include "estimate_generate.h"

static void fill(struct made *made, unsigned standing, uint64_t *random)
{
	unsigned i;

	for (i = 0; i < 600; i++) {
		unsigned cpu = i % made->count;

		made->time_ticks += 40 + (tap_random(random) >> 11) % 100;
		made_add(made, cpu, standing >> cpu & 1 ?
			 UINT64_C(1) << 40 : made->time_ticks);
	}
	made_judge(made, 1000);
}

static void try_standing(unsigned count, unsigned standing, uint64_t *random)
{
	struct made made;
	int should = standing != 0;

	made_init(&made, count, 600);
	fill(&made, standing, random);
	tap_ok(!!(made.result.reasons & TW_REASON_STANDS_STILL) == should,
	       "%u CPUs, those standing still: 0x%x", count, standing);
	tap_ok((made.result.verdict == TW_UNRELIABLE) == should,
	       "the verdict follows");
	made_free(&made);
}

/* 15 readings, 40 ns apart, of a counter of 10 MHz may all be the same. */
static void try_equal(unsigned readings, int should)
{
	struct made made;
	unsigned i;

	made_init(&made, 1, readings);
	for (i = 0; i < readings; i++)
		made_add(&made, 0, 5);
	made_judge(&made, 1000);
	tap_ok(!!(made.result.reasons & TW_REASON_STANDS_STILL) == should,
	       "%u equal readings prove %s", readings,
	       should ? "it" : "nothing");
	made_free(&made);
}

int main(void)
{
	uint64_t random = tap_seed();

	try_standing(1, 0x0, &random);
	try_standing(1, 0x1, &random);
	try_standing(2, 0x0, &random);
	try_standing(2, 0x3, &random);
	try_standing(3, 0x2, &random);
	try_standing(3, 0x7, &random);
	try_equal(15, 0);
	try_equal(16, 1);
	return tap_done();
}
