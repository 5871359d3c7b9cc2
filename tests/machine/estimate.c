/* SPDX-License-Identifier: MIT */
/*
 * On this machine the verdict is not "unreliable", and its evidence is consistent: every
 * interval holds 0, nothing ran backwards, enough was seen. Samples are recorded by either
 * method, then one CPU's counter is moved by a known offset. The interval holds the offset
 * every time, and an offset above the interval's width is always found;
 * unit/estimate/estimate_injected does the same with samples of another machine. The judge of
 * 256 CPUs takes a tenth of a second at 2.4 GHz: TURNS * cpus * cpus steps and cpus^3 more.
 * CPU time is compared with that of as much arithmetic, since other programs make either some
 * times longer.
 *
 * Fails if the reading is not fenced in between the load and the swap: some readings in a
 * hundred thousand then seem to run backwards. Fails if a thread probes on another CPU than
 * its samples tell, or if the reading before a move is noted after the one behind it. Fails
 * also if the judge's time grows with the square of the samples.
 */
#include "estimate/probe.h"
#include "estimate_samples.h"
#include "machine/cpus.h"
#include "timespec.h"

#define RUNS	20

static int is_consistent(const struct tw_reliability *result)
{
	int right = result->monotonic && result->backwards == 0;

	for (unsigned i = 0; i < result->pairs; i++)
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
	tap_note("%" PRId64 " to %" PRId64 " ticks, pace %.0f to %.0f ppb, "
		 "%.1f ms", result->offset_low_ticks, result->offset_high_ticks,
		 result->pace_low_ppb, result->pace_high_ppb,
		 (double)result->elapsed_ns / 1e6);
	for (unsigned bit = 1; bit <= result->reasons; bit <<= 1)
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

/* ---- injected offsets ---- */

#define PROBES		1000
#define LARGEST_TICKS	2000

/* By switching, intervals are as wide as a move takes. */
static const struct method {
	enum tw_reliability_method method;
	const char *name;
	unsigned recordings;
	int64_t largest_ticks;
	uint64_t min_span_ns;
} methods[] = {
	{ TW_METHOD_CAS, "cas", 50, LARGEST_TICKS, 7000000 },
	{ TW_METHOD_SWITCH, "switch", 10, 1000 * LARGEST_TICKS, 40000000 },
};

static int record(struct tw_probe_run **run, struct made *made,
		  const struct method *method, const unsigned *cpus)
{
	struct tw_probe_goal goal = {
		.deadline_ns = tw_clock_id_ns(CLOCK_MONOTONIC) + 500000000,
		.least_switches = 100,
		.min_span_ns = method->min_span_ns,
	};

	*run = NULL;
	if (tw_probe_new(run, method->method, cpus, 2, 500000000, NULL))
		return 0;
	return tw_probe_collect(*run, &goal) == 1 &&
	       tw_probe_samples(*run, made->cpus) == 2;
}

/* Return how fast two readings can follow each other on one CPU. */
static int64_t min_distance_ticks(void)
{
	uint64_t least = UINT64_MAX;

	for (unsigned i = 0; i < 10000; i++) {
		uint64_t begin = tw_ticks_begin();
		uint64_t distance = tw_ticks_begin() - begin;

		if (distance < least)
			least = distance;
	}
	return (int64_t)least;
}

/* A move there and back takes at least twice that, whatever the offset. */
static int is_possible(struct made *made)
{
	struct tw_cpu_offset pair = moved_judge(made, 0);

	tap_note("%" PRId64 " to %" PRId64 " ticks", pair.low_ticks,
		 pair.high_ticks);
	return pair.high_ticks - pair.low_ticks >= 2 * min_distance_ticks();
}

static void try_method(const struct method *method, const unsigned *cpus,
		       uint64_t *random)
{
	unsigned recordings = 0, held = 0, found = 0, possible = 0;
	unsigned tries = PROBES / method->recordings;

	for (unsigned i = 0; i < method->recordings; i++) {
		struct made made;
		struct tw_probe_run *run;

		made_init(&made, 2, 0);
		if (record(&run, &made, method, cpus)) {
			recordings++;
			held += moved_holds(&made, tries,
						method->largest_ticks, random);
			possible += (unsigned)is_possible(&made);
			found += (unsigned)moved_width_is_found(&made);
		}
		made_free(&made);
		if (run)
			tw_probe_free(run);
	}
	tap_note("%s: %u recordings", method->name, recordings);
	if (!recordings) {
		tap_skip("%s: this machine was too busy", method->name);
		return;
	}
	tap_is_u64(held, recordings * tries, "intervals that hold the offset");
	tap_is_u64(possible, recordings, "no narrower than two readings allow");
	tap_is_u64(found, recordings, "offsets of the width found");
}

/* ---- the judge's time ---- */

/* TURNS turns of each CPU, whatever the number of CPUs. */
#define TURNS	172

/* 33 ms at 2.4 GHz. Under sanitizers, which slow down accesses and not
 * arithmetic, an order of magnitude more. */
#define YARDSTICK_STEPS	20000000
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define LIMIT_YARDSTICKS	600
#else
#define LIMIT_YARDSTICKS	60
#endif

static double seconds(void)
{
	return (double)tw_clock_id_ns(CLOCK_PROCESS_CPUTIME_ID) / 1e9;
}

static double yardstick_seconds(void)
{
	volatile uint64_t result;
	uint64_t value = 1, i;
	double begin = seconds();

	for (i = 0; i < YARDSTICK_STEPS; i++)
		value = (value ^ (value >> 7)) * 0x9e3779b97f4a7c15;
	result = value;
	(void)result;
	return seconds() - begin;
}

static void try_cpus(unsigned cpus, int64_t tolerance_ticks, uint64_t *random)
{
	double limit = LIMIT_YARDSTICKS * yardstick_seconds();
	struct made made;
	double begin, took;

	made_init(&made, cpus, 2 * TURNS);
	made_probe(&made, (uint64_t)cpus * TURNS, random);
	begin = seconds();
	made_judge(&made, tolerance_ticks);
	took = seconds() - begin;
	tap_ok(took < limit, "%u CPUs judged in %.3f s, limit %.2f s", cpus,
	       took, limit);
	made_free(&made);
}

int main(void)
{
	uint64_t random = tap_seed();
	unsigned *cpus;
	unsigned count, i;

	for (i = 0; i < RUNS; i++)
		run(TW_METHOD_CAS);
	/* One thread that moves between CPUs, and the same judge. */
	for (i = 0; i < RUNS / 4; i++)
		run(TW_METHOD_SWITCH);
	if (!tap_ok(!tw_allowed_cpus(&cpus, &count), "CPUs allowed"))
		return tap_done();
	for (i = 0; i < sizeof(methods) / sizeof(methods[0]); i++) {
		if (count > 1)
			try_method(&methods[i], cpus, &random);
		else
			tap_skip("only one CPU is allowed");
	}
	free(cpus);
	try_cpus(64, 400, &random);
	try_cpus(256, 800, &random);
	return tap_done();
}
