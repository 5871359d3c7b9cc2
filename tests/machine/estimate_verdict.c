/* SPDX-License-Identifier: MIT */
/*
 * On this machine the verdict is not "unreliable", and its evidence is consistent:
 * every interval holds 0, nothing ran backwards, enough was seen.
 *
 * Fails if the reading is not fenced in between the load and the swap: some
 * readings in a hundred thousand then seem to run backwards. Fails also if a thread
 * probes on another CPU than its samples tell, or if the reading before a move is
 * noted after the one behind it.
 */
#include "tap.h"
#include "tickwise.h"

#define RUNS	20

static int is_consistent(const struct tw_reliability *result)
{
	int right = result->monotonic && result->backwards == 0;
	unsigned i;

	for (i = 0; i < result->pairs; i++)
		right &= result->offsets[i].low_ticks <= 0 &&
			 result->offsets[i].high_ticks >= 0 &&
			 result->offsets[i].pace_low_ppb <= 0 &&
			 result->offsets[i].pace_high_ppb >= 0;
	return right && result->hz > 1e6 && result->read_cost_ns > 0 &&
	       result->pairs == result->cpus * (result->cpus - 1) / 2 &&
	       result->switches <= result->probes;
}

static void note(const struct tw_reliability *result)
{
	unsigned bit;

	tap_note("%" PRId64 " to %" PRId64 " ticks, pace %.0f to %.0f ppb, "
		 "%.1f ms", result->offset_low_ticks, result->offset_high_ticks,
		 result->pace_low_ppb, result->pace_high_ppb,
		 (double)result->elapsed_ns / 1e6);
	for (bit = 1; bit <= result->reasons; bit <<= 1)
		if (result->reasons & bit)
			tap_note("%s", tw_text(TW_ENUM_REASON, bit));
}

static void run(enum tw_reliability_method method)
{
	const struct tw_reliability_options options = {
		.size = sizeof(options), .method = method,
	};
	struct tw_reliability result = TW_SIZED(struct tw_reliability);

	if (!tap_ok(tw_reliability_measure(&result, &options) == 0, "measured"))
		return;
	note(&result);
	tap_ok(result.verdict != TW_UNRELIABLE, "not unreliable");
	tap_ok(is_consistent(&result), "consistent");
	if (result.verdict == TW_UNDECIDED)
		tap_skip("undecided: this machine was too busy");
	else
		tap_ok(result.cpus == 1 || result.switches >= 100,
		       "decided on enough switches");
	tw_reliability_free(&result);
}

int main(void)
{
	unsigned i;

	for (i = 0; i < RUNS; i++)
		run(TW_METHOD_CAS);
	/* One thread that moves between CPUs, and the same judge. */
	for (i = 0; i < RUNS / 4; i++)
		run(TW_METHOD_SWITCH);
	return tap_done();
}
