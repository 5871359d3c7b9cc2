/* SPDX-License-Identifier: MIT */
/*
 * A CPU that took too few turns leaves the verdict open, however good its few
 * bounds seem. Switches and full loops are counted as they happened.
 *
 * Fails if the count is summed over CPUs, or if probes that follow each other on
 * one CPU count as turns.
 */
#include "estimate_generate.h"

/* Make @rounds over 3 CPUs, each probing twice at a time. */
static void go_round(struct made *made, unsigned rounds)
{
	unsigned i;

	for (i = 0; i < rounds * 6; i++) {
		made->time_ticks += 50;
		made_add(made, i / 2 % 3, made->time_ticks);
	}
}

static void try_rounds(unsigned rounds, enum tw_verdict should)
{
	struct made made;

	made_init(&made, 3, 2 * (size_t)rounds);
	go_round(&made, rounds);
	made_judge(&made, 1000);
	tap_ok(made.result.verdict == should, "%u rounds: %s", rounds,
	       tw_name(TW_ENUM_VERDICT, should));
	tap_is_u64(made.result.switches, 3 * (uint64_t)rounds - 1, "switches");
	tap_is_u64(made.result.full_loops, rounds - 1, "full loops");
	made_free(&made);
}

static void try_one_rare(void)
{
	struct made made;
	unsigned i;

	made_init(&made, 3, 2000);
	for (i = 0; i < 3000; i++) {
		made.time_ticks += 50;
		made_add(&made, i % 60 == 59 ? 2 : i % 2, made.time_ticks);
	}
	made_judge(&made, 1000);
	tap_ok(made.result.verdict == TW_UNDECIDED &&
	       made.result.reasons == TW_REASON_STATISTICS,
	       "50 turns of one CPU, thousands of the others: undecided");
	made_free(&made);
}

/*
 * By hand: CPU 1 follows 0 by 100, 90 and 170 ticks, 0 follows 1 by 150 and 160.
 * Only the second of the first three is tighter than one before it.
 */
static void try_narrowed(void)
{
	struct made made;

	made_init(&made, 2, 10);
	made_add(&made, 0, 1000);
	made_add(&made, 1, 1100);
	made_add(&made, 0, 1250);
	made_add(&made, 1, 1340);
	made_add(&made, 0, 1500);
	made_add(&made, 1, 1670);
	made_judge(&made, 1000);
	tap_is_u64(made.result.offsets[0].bounds, 3,
		   "bounds that narrowed the interval");
	/* A tick more: both counters show whole ones. */
	tap_ok(made.result.offsets[0].low_ticks == -151 &&
	       made.result.offsets[0].high_ticks == 91, "to the tightest");
	made_free(&made);
}

/* The base is back before the third had its turn: that closes no loop. */
static void try_loops(void)
{
	static const unsigned order[] = { 0, 1, 0, 1, 2, 0, 2, 1, 0, 1, 0 };
	struct made made;
	unsigned i;

	made_init(&made, 3, 10);
	for (i = 0; i < sizeof(order) / sizeof(*order); i++)
		made_add(&made, order[i], 1000 + 50 * i);
	made_judge(&made, 1000);
	tap_is_u64(made.result.full_loops, 2, "loops with all three");
	made_free(&made);
}

/* Reads that are counted and of which only one was kept. */
static void try_one_sample(void)
{
	struct made made;

	made_init(&made, 1, 10);
	made_add(&made, 0, 1000);
	made.cpus[0].probes = 1000;
	made_judge(&made, 1000);
	tap_ok(made.result.verdict == TW_UNDECIDED &&
	       made.result.reasons & TW_REASON_STATISTICS,
	       "one sample is no evidence");
	made_free(&made);
}

int main(void)
{
	/* 100 switches per CPU are needed; the very first turn is none. */
	try_rounds(10, TW_UNDECIDED);
	try_rounds(100, TW_UNDECIDED);
	try_rounds(101, TW_RELIABLE);
	try_one_rare();
	try_narrowed();
	try_loops();
	try_one_sample();
	return tap_done();
}
