/* SPDX-License-Identifier: MIT */
/*
 * The public functions that measure and then decide: comparing the CPUs' counters,
 * setting a clock up, and checking one. trust.c decides.
 */
#include "trust.h"

#include <errno.h>
#include <time.h>

#include "clock/clock.h"
#include "counter/state.h"
#include "diagnostics.h"
#include "estimate/probe.h"
#include "machine/machine.h"
#include "machine/processor.h"
#include "sized.h"

/* ---- the CPUs ---- */

static int measure(struct tw_reliability *result,
		   const struct tw_reliability_options *options,
		   const struct tw_probe_system *system)
{
	struct tw_reliability_options complete = { 0 };
	struct tw_machine facts;
	char clocksource[32];
	int ret;

	if (options)
		complete = *options;
	ret = tw_trust_options(&complete);
	if (ret)
		return ret;
	/* This comes before the first reading of any clock. */
	if (tw_counter_permission() != TW_COUNTER_OK)
		return -ENOTSUP;
	ret = tw_estimate(result, &complete, system);
	if (ret)
		return ret;
	tw_trust_cpus(result);
	tw_processor_read(&facts);
	tw_read_clocksource(clocksource, sizeof(clocksource));
	result->reasons |= tw_trust_facts(clocksource,
					  tw_counter_is_emulated(),
					  facts.invariant);
	return 0;
}

int tw_reliability_measure_on(struct tw_reliability *result,
			      const struct tw_reliability_options *options,
			      const struct tw_probe_system *system)
{
	int saved_errno = errno;
	int ret = measure(result, options, system);

	errno = saved_errno;
	return ret;
}

int tw_reliability_measure(struct tw_reliability *result,
			   const struct tw_reliability_options *options)
{
	int ret = tw_sized_check(result->size, TW_FIRST_RELIABILITY);
	struct tw_reliability_options complete = { 0 };
	struct tw_reliability out;

	if (!ret && options)
		ret = tw_sized_take(&complete, sizeof(complete), options,
				    TW_FIRST_RELIABILITY_OPTIONS);
	if (!ret)
		ret = tw_reliability_measure_on(&out, &complete, NULL);
	if (!ret)
		tw_sized_give(result, &out, sizeof(out));
	return ret;
}

/* The comparison takes 8 ms on idle CPUs. With two busy programs on each CPU it
 * mostly takes less than 40. A foreign program waits for the preload clock, but
 * nothing waits for the end of a run. */
static const struct {
	uint64_t time_limit_ns;
	unsigned tries;		/* in all, as long as it is undecided */
} efforts[TW_TRUST_MOMENTS] = {
	[TW_TRUST_CLOCK_CHECK]	= { 50000000, 1 },
	[TW_TRUST_PRELOAD]	= { 20000000, 1 },
	[TW_TRUST_RUN_START]	= { 20000000, 3 },
	[TW_TRUST_RUN_END]	= { 50000000, 4 },
};

int tw_trust_compare(enum tw_trust_moment moment, double hz,
		     struct tw_trust_compared *compared)
{
	const struct tw_reliability_options options = {
		.time_limit_ns = efforts[moment].time_limit_ns, .hz = hz,
	};

	for (unsigned tries = 0; tries < efforts[moment].tries; tries++) {
		struct tw_reliability result;
		int ret = tw_reliability_measure_on(&result, &options, NULL);

		if (ret)
			return tries ? 0 : ret;
		tw_trust_compared_of(&result, compared);
		tw_reliability_free(&result);
		if (compared->verdict != TW_UNDECIDED)
			break;
	}
	return 0;
}

/* ---- the clock ---- */

/* Copy the caller's options into complete ones, and their rate to @rate. */
static int take_options(struct tw_clock_options *options, struct tw_rate *rate,
			const struct tw_clock_options *callers)
{
	int ret = 0;

	if (callers)
		ret = tw_sized_take(options, sizeof(*options), callers,
				    TW_FIRST_CLOCK_OPTIONS);
	if (!ret && options->rate) {
		ret = tw_sized_take(rate, sizeof(*rate), options->rate,
				    TW_FIRST_RATE);
		options->rate = rate;
	}
	return ret;
}

/* @clock: from tw_clock_new() */
static int init(struct tw_clock *clock, const struct tw_clock_options *options)
{
	struct tw_trust_seen seen = { .state = tw_counter_permission() };
	struct tw_trust trust;
	int ret;

	if ((unsigned)options->anchor > TW_AGAINST_MONOTONIC)
		return -EINVAL;
	clock->clock_id = tw_against_clock_id(options->anchor);
	if (options->system == TW_ON) {
		tw_clock_use_system(clock, 0);
		return 0;
	}
	ret = tw_clock_set_up(clock, options);
	if (ret == -EINVAL || ret == -ENOMEM)
		return ret;
	seen.rate_error = ret;
	if (!tw_trust(NULL, &seen, &trust)) {
		tw_say(TW_SAY_WARNING, "clock: the system's clock is read: %s",
		       trust.why_not);
		tw_clock_use_system(clock, ret);
	}
	return 0;
}

int tw_clock_init(struct tw_clock *clock, const struct tw_clock_options *options)
{
	struct tw_clock_options complete = { 0 };
	struct tw_clock out;
	struct tw_rate rate;
	int ret = take_options(&complete, &rate, options);

	if (!ret)
		ret = tw_clock_new(&out);
	if (ret)
		return ret;
	ret = init(&out, &complete);
	if (ret)
		tw_clock_free(&out);
	else
		*clock = out;
	return ret;
}

/* The pause takes as long as comparing the CPUs would. */
#define LATER_NS	8000000L

static int look(const struct tw_clock *clock, int at_cpus,
		struct tw_clock_health *health)
{
	const struct timespec later = { .tv_nsec = LATER_NS };
	struct tw_clock_health out = TW_SIZED(struct tw_clock_health);
	struct tw_health_seen seen = { 0 };
	struct tw_trust_compared cpus;
	int ret, cpus_ret = -ECANCELED, saved_errno = errno;

	if (clock->system || tw_counter_permission() != TW_COUNTER_OK)
		return -ENOTSUP;
	ret = tw_health_see(&seen);
	if (ret)
		goto out;
	if (at_cpus)
		cpus_ret = tw_trust_compare(TW_TRUST_CLOCK_CHECK,
					    clock->state->rate.hz, &cpus);
	else if (seen.independent.name[0])
		nanosleep(&later, NULL);
	if (seen.independent.name[0])
		tw_independent_read(&seen.independent_later);
	ret = tw_health_judge(clock, &seen, &out);
	if (ret)
		goto out;
	tw_trust_clock(&out, cpus_ret ? NULL : &cpus, 1);
	for (unsigned i = 0; i < TW_HEALTH_CHECKS; i++)
		if (out.state[i] == TW_HEALTH_BAD)
			tw_say(TW_SAY_WARNING, "clock: check of %s: bad",
			       tw_name(TW_ENUM_HEALTH_CHECK, i));
	*health = out;
out:
	errno = saved_errno;
	return ret;
}

int tw_clock_check(const struct tw_clock *clock, struct tw_clock_health *health)
{
	int ret = tw_sized_check(health->size, TW_FIRST_CLOCK_HEALTH);
	struct tw_clock_health out;

	if (!ret)
		ret = look(clock, 1, &out);
	if (!ret)
		tw_sized_give(health, &out, sizeof(out));
	return ret;
}

int tw_clock_look(const struct tw_clock *clock, struct tw_clock_health *health)
{
	return look(clock, 0, health);
}
