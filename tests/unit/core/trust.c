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

#include "tap.h"
#include "trust.h"

static const struct tw_trust_needs no_more, of_preload = {
	.is_clocksource = 1, .max_bracket_ns = 90,
};

static void used(const struct tw_trust_needs *needs,
		 const struct tw_trust_seen *seen, const char *what)
{
	struct tw_trust trust = { "?" };

	tap_ok(tw_trust(needs, seen, &trust) == 1 && !trust.why_not[0],
	       "used: %s", what);
}

static void refused(const struct tw_trust_needs *needs,
		    const struct tw_trust_seen *seen, const char *why_not,
		    const char *detail)
{
	struct tw_trust trust = { "?" };
	char wanted[256];

	snprintf(wanted, sizeof(wanted), "%s%s%s", why_not,
		 detail[0] ? ": " : "", detail);
	tap_ok(tw_trust(needs, seen, &trust) == 0 &&
	       !strcmp(trust.why_not, wanted), "not used: %s", trust.why_not);
}

static void readable(void)
{
	struct tw_trust_seen seen = { 0 };

	used(NULL, &seen, "nothing was looked at");
	used(&no_more, &seen, "and nothing is needed");
	seen.state = TW_COUNTER_TRAPPED;
	used(NULL, &seen, "every read is slow");
	seen.state = TW_COUNTER_COARSE;
	used(NULL, &seen, "it moves in steps");
	seen.state = TW_COUNTER_ABSENT;
	refused(NULL, &seen, "the processor says it has no counter", "");
	seen.state = TW_COUNTER_DISABLED;
	refused(NULL, &seen, tw_text(TW_ENUM_COUNTER_STATE, TW_COUNTER_DISABLED),
		"");
}

static void calibrated(void)
{
	const char *why_not = "the CPU's counter can't be calibrated";
	struct tw_trust_seen seen = { .rate_error = -EAGAIN };
	struct tw_trust trust;

	refused(NULL, &seen, why_not, "the machine is too busy");
	seen.rate_error = -EIO;
	refused(NULL, &seen, why_not,
		"it and the system clock don't run at one rate");
	seen.rate_error = -ENOTSUP;
	refused(NULL, &seen, why_not, "this process may not read it");
	seen.rate_error = -ERANGE;
	refused(NULL, &seen, why_not, "it does not run at 10 MHz to 10 GHz");
	seen.rate_error = -ENOMEM;
	refused(NULL, &seen, why_not, strerror(ENOMEM));
	seen.verdict = TW_UNRELIABLE;
	refused(NULL, &seen, why_not, strerror(ENOMEM));
	tap_ok(tw_trust_rate(0, &trust) == 1 && !trust.why_not[0],
	       "calibrated");
	tap_ok(!tw_trust_rate(-EAGAIN, &trust) &&
	       !strcmp(trust.why_not, "the CPU's counter can't be calibrated: "
		       "the machine is too busy"), "%s", trust.why_not);
}

static void rate(void)
{
	const char *why_not = "the counter does not run at 10 MHz to 10 GHz";
	struct tw_trust_seen seen = { .ns_per_tick = 100 };

	used(NULL, &seen, "10 MHz");
	seen.ns_per_tick = 0.1;
	used(NULL, &seen, "10 GHz");
	seen.ns_per_tick = 100.001;
	refused(NULL, &seen, why_not, "");
	seen.ns_per_tick = 0.0999;
	refused(NULL, &seen, why_not, "");
	seen.ns_per_tick = -1;
	refused(NULL, &seen, why_not, "");
	seen.ns_per_tick = NAN;
	refused(NULL, &seen, why_not, "");
	seen.ns_per_tick = INFINITY;
	refused(NULL, &seen, why_not, "");
}

static void cpus(void)
{
	struct tw_trust_seen seen = {
		.verdict = TW_UNDECIDED, .reasons = TW_REASON_TOLERANCE,
	};

	used(NULL, &seen, "undecided");
	seen.verdict = TW_UNRELIABLE;
	seen.reasons = TW_REASON_PACE | TW_REASON_BACKWARDS;
	refused(NULL, &seen, "the CPUs' counters disagree",
		tw_text(TW_ENUM_REASON, TW_REASON_PACE));
}

static void needs(void)
{
	struct tw_trust_seen seen = { .bracket_ns = 91 };

	used(NULL, &seen, "any bracket, and any clocksource");
	used(&no_more, &seen, "the same of who needs no more");
	refused(&of_preload, &seen, "the kernel keeps time by something "
		"unknown, not " TW_COUNTER_CLOCKSOURCE, "");
	strcpy(seen.clocksource, "hpet");
	refused(&of_preload, &seen,
		"the kernel keeps time by hpet, not " TW_COUNTER_CLOCKSOURCE,
		"");
	strcpy(seen.clocksource, TW_COUNTER_CLOCKSOURCE);
	refused(&of_preload, &seen,
		"reading the system's clock takes more than 90 ns", "");
	seen.bracket_ns = 90;
	used(&of_preload, &seen, "all that the preload clock needs");
	seen.is_emulated = 1;
	refused(&of_preload, &seen, "another program translates this one: the "
		"counter is that program's", "");
	used(&no_more, &seen, "translated, where nobody minds");
	seen.is_emulated = 0;
	seen.verdict = TW_UNRELIABLE;
	seen.reasons = TW_REASON_OFFSET;
	refused(&of_preload, &seen, "the CPUs' counters disagree",
		tw_text(TW_ENUM_REASON, TW_REASON_OFFSET));
}

static void verdict_is(unsigned reasons, enum tw_verdict verdict, unsigned left)
{
	struct tw_reliability result = { .reasons = reasons };

	tw_trust_cpus(&result);
	tap_ok(result.verdict == verdict && result.reasons == left,
	       "reasons %#x: %s for %#x", reasons,
	       tw_name(TW_ENUM_VERDICT, result.verdict), result.reasons);
}

static void verdicts(void)
{
	unsigned doubts = TW_REASON_TOLERANCE | TW_REASON_STATISTICS;

	verdict_is(0, TW_RELIABLE, 0);
	verdict_is(TW_REASON_ONE_CPU, TW_RELIABLE, TW_REASON_ONE_CPU);
	verdict_is(doubts, TW_UNDECIDED, doubts);
	verdict_is(TW_REASON_TOLERANCE, TW_UNDECIDED, TW_REASON_TOLERANCE);
	verdict_is(TW_REASON_STATISTICS, TW_UNDECIDED, TW_REASON_STATISTICS);
	verdict_is(TW_REASON_CPUS_SKIPPED, TW_UNDECIDED, TW_REASON_CPUS_SKIPPED);
	verdict_is(TW_REASON_OFFSET | doubts, TW_UNRELIABLE, TW_REASON_OFFSET);
	verdict_is(TW_REASON_PACE | TW_REASON_ONE_CPU, TW_UNRELIABLE,
		   TW_REASON_PACE);
	verdict_is(TW_REASON_STANDS_STILL, TW_UNRELIABLE,
		   TW_REASON_STANDS_STILL);
	verdict_is(TW_REASON_BACKWARDS | TW_REASON_CPUS_SKIPPED, TW_UNRELIABLE,
		   TW_REASON_BACKWARDS);
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
struct script {
	const char *tries;
	unsigned made;
};

static int play(void *context, struct tw_trust_compared *compared)
{
	struct script *script = context;
	char what = script->tries[script->made++];

	if (what == 'e')
		return -EAGAIN;
	compared->verdict = what == 'u' ? TW_UNDECIDED : TW_RELIABLE;
	return 0;
}

static void repeats(enum tw_trust_moment moment, const char *tries, int wanted,
		    enum tw_verdict verdict, const char *what)
{
	struct tw_trust_compared compared = { .verdict = TW_UNRELIABLE };
	struct script script = { .tries = tries };
	int ret = tw_trust_repeat(moment, play, &script, &compared);

	tap_ok(ret == wanted && script.made == strlen(tries) &&
	       compared.verdict == verdict, "%s: %s, %u tries", what, tries,
	       script.made);
}

static void comparisons(void)
{
	repeats(TW_TRUST_CLOCK_CHECK, "u", 0, TW_UNDECIDED, "a clock's check");
	repeats(TW_TRUST_PRELOAD, "u", 0, TW_UNDECIDED, "the preload clock");
	repeats(TW_TRUST_RUN_START, "uuu", 0, TW_UNDECIDED, "a run's start");
	repeats(TW_TRUST_RUN_END, "uuuu", 0, TW_UNDECIDED, "a run's end");
	repeats(TW_TRUST_RUN_END, "ur", 0, TW_RELIABLE, "decided");
	repeats(TW_TRUST_RUN_END, "e", -EAGAIN, TW_UNRELIABLE, "not done");
	repeats(TW_TRUST_RUN_END, "ue", 0, TW_UNDECIDED, "not done again");
	tap_is_u64(tw_trust_time_limit_ns(TW_TRUST_CLOCK_CHECK), 50000000,
		   "50 ms for a clock's check");
	tap_is_u64(tw_trust_time_limit_ns(TW_TRUST_PRELOAD), 20000000,
		   "20 ms for the preload clock");
	tap_is_u64(tw_trust_time_limit_ns(TW_TRUST_RUN_START), 20000000,
		   "20 ms for a run's start");
	tap_is_u64(tw_trust_time_limit_ns(TW_TRUST_RUN_END), 50000000,
		   "50 ms for a run's end");
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
	unsigned i;

	job_is(&job, TW_RELIABLE, "all was good");
	for (i = 0; i < 3; i++) {
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
	readable();
	calibrated();
	rate();
	cpus();
	needs();
	verdicts();
	options();
	comparisons();
	jobs();
	return tap_done();
}
