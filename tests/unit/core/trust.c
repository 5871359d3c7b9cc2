/* SPDX-License-Identifier: MIT */
/*
 * Decides on made-up facts whether the counter is used. Each thing that speaks
 * against the counter decides by itself; what was not checked does not, and an
 * undecided verdict does not either. Limits are those that are documented.
 *
 * Fails if a counter is used that is proven bad, or refused for something that was
 * not seen.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "estimate/probe.h"
#include "tap.h"
#include "trust.h"

static const struct tw_trust_needs no_more, of_preload = {
	.is_clocksource = 1, .max_bracket_ns = 90,
};

#define UNCALIBRATED	"the CPU's counter can't be calibrated: "
#define DISAGREE	"the CPUs' counters disagree: "
#define NOT_IN_RANGE	"the counter does not run at 10 MHz to 10 GHz"
#define OURS		.clocksource = TW_COUNTER_CLOCKSOURCE

/* @why_not: NULL: the counter is used. A clause that ends with ": " goes on with @text. */
static const struct decision {
	const char *why_not;
	struct tw_trust_seen seen;
	const struct tw_trust_needs *needs;
	enum tw_enum text;
	unsigned value;
} decisions[] = {
	{ NULL, { 0 }, NULL, 0, 0 },
	{ NULL, { 0 }, &no_more, 0, 0 },
	{ NULL, { .state = TW_COUNTER_TRAPPED }, NULL, 0, 0 },
	{ NULL, { .state = TW_COUNTER_COARSE }, NULL, 0, 0 },
	{ "", { .state = TW_COUNTER_ABSENT }, NULL, TW_ENUM_COUNTER_STATE, TW_COUNTER_ABSENT },
	{ "", { .state = TW_COUNTER_DISABLED }, NULL, TW_ENUM_COUNTER_STATE,
	  TW_COUNTER_DISABLED },
	{ UNCALIBRATED "the machine is too busy", { .rate_error = -EAGAIN }, NULL, 0, 0 },
	{ UNCALIBRATED "it and the system clock don't run at one rate",
	  { .rate_error = -EIO }, NULL, 0, 0 },
	{ UNCALIBRATED "this process may not read it", { .rate_error = -ENOTSUP }, NULL, 0, 0 },
	{ UNCALIBRATED "it does not run at 10 MHz to 10 GHz", { .rate_error = -ERANGE }, NULL,
	  0, 0 },
	{ UNCALIBRATED "Cannot allocate memory", { .rate_error = -ENOMEM }, NULL, 0, 0 },
	{ UNCALIBRATED "Cannot allocate memory",
	  { .rate_error = -ENOMEM, .verdict = TW_UNRELIABLE }, NULL, 0, 0 },
	{ NULL, { .ns_per_tick = 100 }, NULL, 0, 0 },
	{ NULL, { .ns_per_tick = 0.1 }, NULL, 0, 0 },
	{ NOT_IN_RANGE, { .ns_per_tick = 100.001 }, NULL, 0, 0 },
	{ NOT_IN_RANGE, { .ns_per_tick = 0.0999 }, NULL, 0, 0 },
	{ NOT_IN_RANGE, { .ns_per_tick = -1 }, NULL, 0, 0 },
	{ NOT_IN_RANGE, { .ns_per_tick = NAN }, NULL, 0, 0 },
	{ NOT_IN_RANGE, { .ns_per_tick = INFINITY }, NULL, 0, 0 },
	{ NULL, { .verdict = TW_UNDECIDED, .reasons = TW_REASON_TOLERANCE }, NULL, 0, 0 },
	{ DISAGREE, { .verdict = TW_UNRELIABLE,
	  .reasons = TW_REASON_PACE | TW_REASON_BACKWARDS }, NULL, TW_ENUM_REASON,
	  TW_REASON_PACE },
	/* What one user needs, and others do not. */
	{ NULL, { .bracket_ns = 91 }, NULL, 0, 0 },
	{ NULL, { .bracket_ns = 91 }, &no_more, 0, 0 },
	{ "the kernel keeps time by something unknown, not " TW_COUNTER_CLOCKSOURCE,
	  { .bracket_ns = 91 }, &of_preload, 0, 0 },
	{ "the kernel keeps time by hpet, not " TW_COUNTER_CLOCKSOURCE,
	  { .clocksource = "hpet" }, &of_preload, 0, 0 },
	{ "reading the system's clock takes more than 90 ns", { OURS, .bracket_ns = 91 },
	  &of_preload, 0, 0 },
	{ NULL, { OURS, .bracket_ns = 90 }, &of_preload, 0, 0 },
	{ "another program translates this one: the counter is that program's",
	  { OURS, .bracket_ns = 90, .is_emulated = 1 }, &of_preload, 0, 0 },
	{ NULL, { OURS, .bracket_ns = 90, .is_emulated = 1 }, &no_more, 0, 0 },
	{ DISAGREE, { OURS, .bracket_ns = 90, .verdict = TW_UNRELIABLE,
	  .reasons = TW_REASON_OFFSET }, &of_preload, TW_ENUM_REASON, TW_REASON_OFFSET },
};

static void decide(const struct decision *decision)
{
	const char *why_not = decision->why_not ? decision->why_not : "";
	struct tw_trust trust = { "?" };
	char wanted[256];

	snprintf(wanted, sizeof(wanted), "%s%s", why_not,
		 decision->value ? tw_text(decision->text, decision->value) : "");
	tap_ok(tw_trust(decision->needs, &decision->seen, &trust) == !decision->why_not &&
	       !strcmp(trust.why_not, wanted), "%s: %s",
	       decision->why_not ? "not used" : "used", trust.why_not);
}

static void verdicts(void)
{
	enum { DOUBTS = TW_REASON_TOLERANCE | TW_REASON_STATISTICS };
	static const struct {
		unsigned reasons;
		enum tw_verdict verdict;
		unsigned left;
	} cases[] = {
		{ 0, TW_RELIABLE, 0 },
		{ TW_REASON_ONE_CPU, TW_RELIABLE, TW_REASON_ONE_CPU },
		{ DOUBTS, TW_UNDECIDED, DOUBTS },
		{ TW_REASON_TOLERANCE, TW_UNDECIDED, TW_REASON_TOLERANCE },
		{ TW_REASON_STATISTICS, TW_UNDECIDED, TW_REASON_STATISTICS },
		{ TW_REASON_CPUS_SKIPPED, TW_UNDECIDED, TW_REASON_CPUS_SKIPPED },
		{ TW_REASON_OFFSET | DOUBTS, TW_UNRELIABLE, TW_REASON_OFFSET },
		{ TW_REASON_PACE | TW_REASON_ONE_CPU, TW_UNRELIABLE, TW_REASON_PACE },
		{ TW_REASON_STANDS_STILL, TW_UNRELIABLE, TW_REASON_STANDS_STILL },
		{ TW_REASON_BACKWARDS | TW_REASON_CPUS_SKIPPED, TW_UNRELIABLE,
		  TW_REASON_BACKWARDS },
	};

	for (unsigned i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct tw_reliability result = { .reasons = cases[i].reasons };

		tw_trust_cpus(&result);
		tap_ok(result.verdict == cases[i].verdict && result.reasons == cases[i].left,
		       "reasons %#x: %s for %#x", cases[i].reasons,
		       tw_name(TW_ENUM_VERDICT, result.verdict), result.reasons);
	}
	tap_is_u64(tw_trust_facts(TW_COUNTER_CLOCKSOURCE, 0, 1), 0,
		   "the kernel keeps time by an invariant counter");
	tap_is_u64(tw_trust_facts("", 0, 1), 0, "what it uses is not known");
	tap_is_u64(tw_trust_facts("hpet", 0, 1), TW_REASON_CLOCKSOURCE,
		   "it uses another");
	tap_is_u64(tw_trust_facts(TW_COUNTER_CLOCKSOURCE, 1, 1),
		   TW_REASON_CLOCKSOURCE, "it uses another of the same name");
	tap_is_u64(tw_trust_facts("", 0, 0), TW_REASON_NOT_INVARIANT,
		   "the rate may change");
	tap_is_u64(tw_trust_facts("", 0, -1), TW_REASON_NOT_INVARIANT,
		   "or nobody says that it does not");
}

/* In order: the given options, and the resulting ones. */
static void options_become(struct tw_reliability_options given,
			   struct tw_reliability_options wanted,
			   const char *what)
{
	tap_ok(!tw_trust_options(&given) &&
	       given.time_limit_ns == wanted.time_limit_ns &&
	       given.least_time_ns == wanted.least_time_ns &&
	       given.least_switches == wanted.least_switches &&
	       given.tolerance_ns == wanted.tolerance_ns &&
	       given.pace_limit_ppb == wanted.pace_limit_ppb, "%s", what);
}

static void invalid(struct tw_reliability_options options, const char *what)
{
	tap_ok(tw_trust_options(&options) == -EINVAL, "refused: %s", what);
}

/* Tries of a comparison: "u" undecided, "r" reliable, "e" an error. */
static const char *tries;
static uint64_t limit_ns;

int tw_estimate(struct tw_reliability *result, const struct tw_reliability_options *options,
		const struct tw_probe_system *system)
{
	(void)system;
	limit_ns = options->time_limit_ns;
	*result = (struct tw_reliability) {
		.reasons = *tries == 'u' ? TW_REASON_TOLERANCE : 0,
	};
	return *tries++ == 'e' ? -EAGAIN : 0;
}

void tw_reliability_free(struct tw_reliability *result)
{
	(void)result;
}

static void comparisons(void)
{
	static const struct {
		const char *tries;
		enum tw_trust_moment moment;
		uint64_t limit_ns;
		int ret;
		enum tw_verdict verdict;
	} cases[] = {
		{ "u", TW_TRUST_CLOCK_CHECK, 50000000, 0, TW_UNDECIDED },
		{ "u", TW_TRUST_PRELOAD, 20000000, 0, TW_UNDECIDED },
		{ "uuu", TW_TRUST_RUN_START, 20000000, 0, TW_UNDECIDED },
		{ "uuuu", TW_TRUST_RUN_END, 50000000, 0, TW_UNDECIDED },
		{ "ur", TW_TRUST_RUN_END, 50000000, 0, TW_RELIABLE },
		{ "e", TW_TRUST_RUN_END, 50000000, -EAGAIN, TW_UNRELIABLE },
		{ "ue", TW_TRUST_RUN_END, 50000000, 0, TW_UNDECIDED },
	};

	for (unsigned i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct tw_trust_compared compared = { .verdict = TW_UNRELIABLE };

		tries = cases[i].tries;
		tap_ok(tw_trust_compare(cases[i].moment, 1e9, &compared) == cases[i].ret &&
		       !*tries && compared.verdict == cases[i].verdict &&
		       limit_ns == cases[i].limit_ns, "moment %d: %s, %.0f ms each",
		       (int)cases[i].moment, cases[i].tries, (double)cases[i].limit_ns / 1e6);
	}
}

#define OPTIONS	(struct tw_reliability_options)

static void options(void)
{
	const uint64_t hour_ns = 3600000000000;

	options_become(OPTIONS { .method = TW_METHOD_CAS },
		       OPTIONS { .time_limit_ns = 507000000,
				 .least_time_ns = 7000000,
				 .least_switches = 100, .tolerance_ns = 500,
				 .pace_limit_ppb = 1000 },
		       "defaults of compare-and-swap");
	options_become(OPTIONS { .method = TW_METHOD_SWITCH },
		       OPTIONS { .time_limit_ns = 540000000,
				 .least_time_ns = 40000000,
				 .least_switches = 100, .tolerance_ns = 100000,
				 .pace_limit_ppb = 1000 },
		       "defaults of switching");
	options_become(OPTIONS { .time_limit_ns = 5, .least_time_ns = hour_ns,
				 .least_switches = 6, .tolerance_ns = 7,
				 .pace_limit_ppb = 8 },
		       OPTIONS { .time_limit_ns = 5, .least_time_ns = hour_ns,
				 .least_switches = 6, .tolerance_ns = 7,
				 .pace_limit_ppb = 8 }, "what is given stays");
	invalid(OPTIONS { .method = (enum tw_reliability_method)2 }, "a method");
	invalid(OPTIONS { .time_limit_ns = hour_ns + 1 }, "over an hour");
	invalid(OPTIONS { .least_time_ns = hour_ns + 1 }, "at least over one");
	invalid(OPTIONS { .hz = -1 }, "a negative rate");
	invalid(OPTIONS { .hz = NAN }, "a rate that is no number");
	invalid(OPTIONS { .pace_limit_ppb = -1 }, "a negative pace");
	invalid(OPTIONS { .pace_limit_ppb = INFINITY }, "an infinite one");
}

static void job_is(const struct tw_trust_seen_job *job, enum tw_verdict verdict,
		   const char *what)
{
	enum tw_verdict found = tw_trust_job(job);

	tap_ok(found == verdict, "a job, %s: %s", what,
	       tw_name(TW_ENUM_VERDICT, found));
}

static void jobs(void)
{
	struct tw_clock_health end = {
		.state = {
			[TW_HEALTH_PREDICTION] = TW_HEALTH_GOOD,
			[TW_HEALTH_SUSPEND] = TW_HEALTH_GOOD,
			[TW_HEALTH_CPUS] = TW_HEALTH_GOOD,
		},
	};
	struct tw_trust_seen_job job = { .start_covers = 1, .end = &end };
	const enum tw_health_check checks[] = {
		TW_HEALTH_PREDICTION, TW_HEALTH_SUSPEND, TW_HEALTH_CPUS,
	};

	job_is(&job, TW_RELIABLE, "all was good");
	for (unsigned i = 0; i < 3; i++) {
		end.state[checks[i]] = TW_HEALTH_UNDECIDED;
		job_is(&job, TW_UNDECIDED, tw_name(TW_ENUM_HEALTH_CHECK,
						   checks[i]));
		end.state[checks[i]] = TW_HEALTH_GOOD;
	}
	job.start_covers = 0;
	job_is(&job, TW_UNDECIDED, "other CPUs than at the start");
	job.is_system = 1;
	job_is(&job, TW_RELIABLE, "by the system's clock: as the start");
	job.is_system = 0;
	job.start = TW_UNDECIDED;
	job_is(&job, TW_UNDECIDED, "the start was");
	job.is_backwards = 1;
	job_is(&job, TW_UNRELIABLE, "stamps contradict each other");
	job = (struct tw_trust_seen_job) { .start_covers = 1 };
	job_is(&job, TW_UNDECIDED, "no look at its end");
	job.end = &end;
	end.verdict = TW_UNRELIABLE;
	job_is(&job, TW_UNRELIABLE, "the clock was at its end");
}

int main(void)
{
	struct tw_trust trust;

	for (unsigned i = 0; i < sizeof(decisions) / sizeof(*decisions); i++)
		decide(&decisions[i]);
	tap_ok(tw_trust_rate(0, &trust) == 1 && !trust.why_not[0] &&
	       !tw_trust_rate(-EAGAIN, &trust) &&
	       !strcmp(trust.why_not, UNCALIBRATED "the machine is too busy"),
	       "from an error of calibrating alone");
	verdicts();
	options();
	comparisons();
	jobs();
	return tap_done();
}
