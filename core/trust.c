/* SPDX-License-Identifier: MIT */
/*
 * Decides whether the counter is used: see trust.h.
 */
#include "trust.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "clock/clock.h"
#include "estimate/judge.h"
#include "machine/machine.h"

int tw_trust_options(struct tw_reliability_options *options)
{
	int is_switch = options->method == TW_METHOD_SWITCH;
	uint64_t least_time_ns = is_switch ? TW_TRUST_SWITCH_MIN_TIME_NS :
					     TW_TRUST_MIN_TIME_NS;

	if ((options->method != TW_METHOD_CAS && !is_switch) ||
	    options->time_limit_ns > TW_TRUST_MAX_TIME_NS ||
	    options->least_time_ns > TW_TRUST_MAX_TIME_NS ||
	    !isfinite(options->hz) || options->hz < 0 ||
	    !isfinite(options->pace_limit_ppb) || options->pace_limit_ppb < 0)
		return -EINVAL;
	if (options->least_time_ns < least_time_ns)
		options->least_time_ns = least_time_ns;
	if (!options->time_limit_ns)
		options->time_limit_ns = TW_TRUST_TIME_LIMIT_NS +
					 options->least_time_ns;
	if (!options->least_switches)
		options->least_switches = TW_TRUST_MIN_SWITCHES;
	if (!options->tolerance_ns)
		options->tolerance_ns = is_switch ?
					TW_TRUST_SWITCH_TOLERANCE_NS :
					TW_TRUST_TOLERANCE_NS;
	if (options->pace_limit_ppb == 0)
		options->pace_limit_ppb = TW_TRUST_PACE_LIMIT_PPB;
	return 0;
}

/* ---- verdicts ---- */

void tw_trust_cpus(struct tw_reliability *result)
{
	if (result->reasons & TW_REASONS_PROOF) {
		result->verdict = TW_UNRELIABLE;
		result->reasons &= TW_REASONS_PROOF;
	} else if (result->reasons & TW_REASONS_DOUBT) {
		result->verdict = TW_UNDECIDED;
	} else {
		result->verdict = TW_RELIABLE;
	}
}

unsigned tw_trust_facts(const char *clocksource, int is_emulated,
			int is_invariant)
{
	unsigned reasons = 0;

	if (is_invariant != 1)
		reasons |= TW_REASON_NOT_INVARIANT;
	if (clocksource[0] &&
	    !tw_clocksource_is_counter(clocksource, is_emulated))
		reasons |= TW_REASON_CLOCKSOURCE;
	return reasons;
}

/* Convert an offset. The result is infinite where a bound is missing. */
static double offset_ns(int64_t ticks, double hz)
{
	if (ticks == INT64_MAX)
		return INFINITY;
	if (ticks == -INT64_MAX || ticks == INT64_MIN)
		return -INFINITY;
	return (double)ticks / hz * 1e9;
}

void tw_trust_compared_of(const struct tw_reliability *result,
			  struct tw_trust_compared *compared)
{
	double hz = result->hz;

	*compared = (struct tw_trust_compared) {
		.verdict = result->verdict,
		.reasons = result->reasons,
		.low_ns = offset_ns(result->offset_low_ticks, hz),
		.high_ns = offset_ns(result->offset_high_ticks, hz),
	};
}

void tw_trust_clock(struct tw_clock_health *health,
		    const struct tw_trust_compared *cpus, int covers)
{
	health->state[TW_HEALTH_CPUS] = TW_HEALTH_NOT_RUN;
	if (cpus) {
		health->state[TW_HEALTH_CPUS] =
			cpus->verdict == TW_UNRELIABLE ? TW_HEALTH_BAD :
			cpus->verdict == TW_RELIABLE && covers ? TW_HEALTH_GOOD :
								 TW_HEALTH_UNDECIDED;
		health->cpu_reasons = cpus->reasons;
		health->cpu_low_ns = cpus->low_ns;
		health->cpu_high_ns = cpus->high_ns;
	}
	health->verdict = TW_RELIABLE;
	/* From TW_HEALTH_HOST on the checks need devices that few machines have. */
	for (unsigned i = 0; i < TW_HEALTH_CHECKS; i++)
		if (health->state[i] == TW_HEALTH_BAD)
			health->verdict = TW_UNRELIABLE;
		else if (health->state[i] != TW_HEALTH_GOOD && i < TW_HEALTH_HOST &&
			 health->verdict == TW_RELIABLE)
			health->verdict = TW_UNDECIDED;
}

enum tw_verdict tw_trust_job(const struct tw_trust_seen_job *job)
{
	if ((job->end && job->end->verdict == TW_UNRELIABLE) ||
	    job->is_backwards)
		return TW_UNRELIABLE;
	if (job->is_system || job->start != TW_RELIABLE)
		return job->start;
	/* The clocksource's check is undecided where the kernel never kept time by the
	 * counter, which does not speak against it. */
	return job->end && job->start_covers &&
	       job->end->state[TW_HEALTH_PREDICTION] == TW_HEALTH_GOOD &&
	       job->end->state[TW_HEALTH_SUSPEND] == TW_HEALTH_GOOD &&
	       job->end->state[TW_HEALTH_CPUS] == TW_HEALTH_GOOD ?
	       TW_RELIABLE : TW_UNDECIDED;
}

/* ---- is the counter used? ---- */

__attribute__((format(printf, 2, 3)))
static int refuse(struct tw_trust *trust, const char *why_not, ...)
{
	va_list args;

	va_start(args, why_not);
	vsnprintf(trust->why_not, sizeof(trust->why_not), why_not, args);
	va_end(args);
	return 0;
}

static const char *calibration_text(int error)
{
	switch (error) {
	case -ENOTSUP:
		return "this process may not read it";
	case -EAGAIN:
		return "the machine is too busy";
	case -EIO:
		return "it and the system clock don't run at one rate";
	case -ERANGE:
		return "it does not run at 10 MHz to 10 GHz";
	default:
		return strerror(-error);
	}
}

/* Refuse a counter that can't be read, or that can't keep time. */
static int is_usable(const struct tw_trust_seen *seen, struct tw_trust *trust)
{
	if (seen->state == TW_COUNTER_ABSENT ||
	    seen->state == TW_COUNTER_DISABLED)
		return refuse(trust, "%s", tw_text(TW_ENUM_COUNTER_STATE,
						   seen->state));
	if (seen->rate_error)
		return refuse(trust, "the CPU's counter can't be calibrated: %s",
			      calibration_text(seen->rate_error));
	if (seen->verdict == TW_UNRELIABLE)
		return refuse(trust, "the CPUs' counters disagree: %s",
			      tw_text(TW_ENUM_REASON, seen->reasons &
				      -seen->reasons));
	if (seen->ns_per_tick != 0 &&
	    !(seen->ns_per_tick >= TW_TRUST_MIN_NS_PER_TICK &&
	      seen->ns_per_tick <= TW_TRUST_MAX_NS_PER_TICK))
		return refuse(trust, "the counter does not run at 10 MHz to "
			      "10 GHz");
	return 1;
}

static int meets_needs(const struct tw_trust_needs *needs,
		       const struct tw_trust_seen *seen, struct tw_trust *trust)
{
	if (needs->is_clocksource && seen->is_emulated)
		return refuse(trust, "another program translates this one: the "
			      "counter is that program's");
	if (needs->is_clocksource &&
	    !tw_clocksource_is_counter(seen->clocksource, seen->is_emulated))
		return refuse(trust, "the kernel keeps time by %s, not %s",
			      seen->clocksource[0] ? seen->clocksource :
						     "something unknown",
			      TW_COUNTER_CLOCKSOURCE);
	if (needs->max_bracket_ns != 0 &&
	    seen->bracket_ns > needs->max_bracket_ns)
		return refuse(trust, "reading the system's clock takes more "
			      "than %.0f ns", needs->max_bracket_ns);
	return 1;
}

int tw_trust(const struct tw_trust_needs *needs, const struct tw_trust_seen *seen,
	     struct tw_trust *trust)
{
	trust->why_not[0] = '\0';
	return is_usable(seen, trust) &&
	       (!needs || meets_needs(needs, seen, trust));
}

int tw_trust_rate(int error, struct tw_trust *trust)
{
	const struct tw_trust_seen seen = { .rate_error = error };

	return tw_trust(NULL, &seen, trust);
}
