/* SPDX-License-Identifier: MIT */
/*
 * What a program can see of a clock's health, and what it means; see clock.h.
 */
#include "clock.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "anchor.h"
#include "counter/step.h"
#include "machine/machine.h"

#define LOOK_NS		200000

/* Take the narrowest bracket, of at least one. */
static void baseline_of(const struct tw_brackets *brackets,
			struct tw_clock_baseline *baseline)
{
	const struct tw_bracket *best = brackets->bracket;

	for (size_t i = 1; i < brackets->count; i++) {
		const struct tw_bracket *one = &brackets->bracket[i];

		if (one->after_ticks - one->before_ticks <
		    best->after_ticks - best->before_ticks)
			best = one;
	}
	*baseline = (struct tw_clock_baseline) { *best, brackets->granularity_ns };
	baseline->bracket.after_ticks += tw_step_reach_ticks(brackets->step_ticks);
}

int tw_baseline_read(struct tw_clock_baseline *baseline, const struct tw_time_source *source)
{
	/* Other threads may have had the CPU during a whole look. */
	for (unsigned tries = 0; tries < 5; tries++) {
		struct tw_brackets brackets = { 0 };
		int ret = tw_brackets_collect(&brackets, LOOK_NS, source);

		if (ret)
			return ret;
		if (brackets.count)
			baseline_of(&brackets, baseline);
		ret = brackets.count ? 0 : -EAGAIN;
		tw_brackets_free(&brackets);
		if (!ret)
			return 0;
	}
	return -EAGAIN;
}

void tw_health_see_machine(struct tw_health_seen *seen)
{
	seen->counter_is_clocksource = tw_counter_is_clocksource(NULL);
	seen->suspended_ns = tw_suspended_ns();
	seen->vmclock_ret = tw_vmclock_read(&seen->vmclock);
	tw_independent_read(&seen->independent);
	tw_read_clocksource(seen->clocksource, sizeof(seen->clocksource));
}

int tw_health_see(struct tw_health_seen *seen)
{
	int ret = tw_baseline_read(&seen->baseline, NULL);

	if (ret)
		return ret == -EAGAIN ? -EIO : ret;
	tw_health_see_machine(seen);
	return 0;
}

/* ---- judging ---- */

static double advance_ns(const struct tw_clock *clock, uint64_t from_ticks,
			 uint64_t to_ticks)
{
	return tw_difference(tw_clock_ns_at(clock, to_ticks),
			     tw_clock_ns_at(clock, from_ticks));
}

/* Set the drift. The reference was read somewhere inside each bracket, so the clock's
 * advance is between that of the inner ends and that of the outer ends. */
static int set_drift(const struct tw_clock *clock,
		     const struct tw_bracket *now,
		     struct tw_clock_health *health)
{
	const struct tw_bracket *start = &clock->state->start.baseline.bracket;
	double granularity_ns = (double)clock->state->start.baseline.granularity_ns;
	double passed_ns = tw_difference(now->reference_ns, start->reference_ns);
	double rounding_ns = 2 * clock->scale.error_ns +
			     clock->scale.error_ppb * 1e-9 * passed_ns;

	if (!(passed_ns > 0))
		return -EIO;
	health->over_ns = (uint64_t)passed_ns;
	health->drift_low_ns =
		advance_ns(clock, start->after_ticks, now->before_ticks) -
		passed_ns - granularity_ns - rounding_ns;
	health->drift_high_ns =
		advance_ns(clock, start->before_ticks, now->after_ticks) -
		passed_ns + granularity_ns + rounding_ns;
	return 0;
}

/* The kernel's own rate allows no drift. Any other rate allows what its hard bound does. */
static enum tw_health_state judge_prediction(const struct tw_clock *clock,
					     struct tw_clock_health *health)
{
	const struct tw_rate *rate = &clock->state->rate;
	double passed_ns = (double)health->over_ns;

	if (rate->source != TW_RATE_KERNEL)
		health->drift_allowed_ns = rate->bound_ppb * 1e-9 * passed_ns;
	return health->drift_low_ns <= health->drift_allowed_ns &&
	       health->drift_high_ns >= -health->drift_allowed_ns ?
	       TW_HEALTH_GOOD : TW_HEALTH_BAD;
}

static enum tw_health_state
judge_independent(const struct tw_clock *clock,
		  const struct tw_health_seen *seen,
		  struct tw_clock_health *health)
{
	const struct tw_independent *now = &seen->independent;
	const struct tw_independent *start = &clock->state->start.independent;
	double ppb, error_ppb;

	if (!start->name[0] || strcmp(start->name, now->name) != 0)
		return TW_HEALTH_NOT_RUN;
	snprintf(health->independent, sizeof(health->independent), "%s",
		 now->name);
	if (tw_independent_rate(start, now, &health->independent_ppb,
				&health->independent_error_ppb))
		return TW_HEALTH_UNDECIDED;
	if (fabs(health->independent_ppb) <=
	    TW_INDEPENDENT_ALLOWED_PPB + health->independent_error_ppb)
		return TW_HEALTH_GOOD;
	/* A device whose time was set seems to drift, too, but does not drift
	 * now. */
	return !tw_independent_rate(now, &seen->independent_later, &ppb, &error_ppb) &&
	       fabs(ppb) > TW_INDEPENDENT_ALLOWED_PPB + error_ppb ?
	       TW_HEALTH_BAD : TW_HEALTH_UNDECIDED;
}

int tw_health_judge(const struct tw_clock *clock,
		    const struct tw_health_seen *seen,
		    struct tw_clock_health *health)
{
	const struct tw_health_seen *start = &clock->state->start;
	enum tw_health_state *state = health->state;
	int ret = set_drift(clock, &seen->baseline.bracket, health);

	if (ret)
		return ret;
	memcpy(health->clocksource, seen->clocksource,
	       sizeof(health->clocksource));
	state[TW_HEALTH_PREDICTION] = judge_prediction(clock, health);
	state[TW_HEALTH_CLOCKSOURCE] =
		!start->counter_is_clocksource ? TW_HEALTH_UNDECIDED :
		seen->counter_is_clocksource ? TW_HEALTH_GOOD : TW_HEALTH_BAD;
	health->suspended_ns = seen->suspended_ns - start->suspended_ns;
	state[TW_HEALTH_SUSPEND] = health->suspended_ns > TW_SUSPEND_SEEN_NS ?
				   TW_HEALTH_BAD : TW_HEALTH_GOOD;
	/* A device that is gone, or that came later, is no evidence. */
	state[TW_HEALTH_HOST] = start->vmclock_ret || seen->vmclock_ret ? TW_HEALTH_NOT_RUN :
		seen->vmclock.disruption_marker == start->vmclock.disruption_marker ?
		TW_HEALTH_GOOD : TW_HEALTH_BAD;
	state[TW_HEALTH_INDEPENDENT] =
		judge_independent(clock, seen, health);
	return 0;
}
