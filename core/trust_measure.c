/* SPDX-License-Identifier: MIT */
/*
 * What needs clock/ and estimate/ both, and the decisions of trust.c: setting a
 * clock up, and checking one.
 */
#include "trust_measure.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "clock/clock.h"
#include "clock/health.h"
#include "clock/refine.h"
#include "counter/mark.h"
#include "counter/state.h"
#include "diagnostics.h"
#include "machine/machine.h"
#include "machine/suspend.h"
#include "trust.h"

int tw_clock_init(struct tw_clock *clock, const struct tw_clock_options *options)
{
	const struct tw_clock_options defaults = { 0 };
	struct tw_clock out = { 0 };
	int ret;

	if (!options)
		options = &defaults;
	if ((unsigned)options->anchor > TW_ANCHOR_MONOTONIC)
		return -EINVAL;
	out.rate.against = options->rate ? options->rate->against :
					   options->against;
	out.clock_id = tw_against_clock_id(tw_anchor_on(options->anchor,
							out.rate.against));
	out.reliability = options->reliability;
	if (options->system == TW_ON) {
		tw_clock_use_system(&out, 0);
		*clock = out;
		return 0;
	}
	ret = tw_clock_set_up(&out, options);
	if (ret == -EINVAL || ret == -ENOMEM)
		return ret;
	if (ret) {
		tw_say(TW_SAY_WARNING, "clock: the system's clock is read in "
		       "place of the counter: no rate or anchor, errno %d",
		       -ret);
		tw_clock_use_system(&out, ret);
	}
	*clock = out;
	return 0;
}

/* Idle CPUs take 8 ms; two busy programs on each, mostly under 40. */
#define CPUS_LIMIT_NS	50000000ULL
#define LATER_NS	8000000L

static void tell(const struct tw_clock_health *health)
{
	unsigned i;

	for (i = 0; i < TW_HEALTH_CHECKS; i++)
		if (health->state[i] == TW_HEALTH_BAD)
			tw_say(TW_SAY_WARNING, "clock: check of %s: bad",
			       tw_name(TW_ENUM_HEALTH_CHECK, i));
}

static int look(const struct tw_clock *clock, int at_cpus,
		struct tw_clock_health *health)
{
	const struct tw_reliability_options options = {
		.time_limit_ns = CPUS_LIMIT_NS, .hz = clock->rate.hz,
	};
	/* As long as the CPUs would take. */
	const struct timespec later = { .tv_nsec = LATER_NS };
	struct tw_clock_health out = { 0 };
	struct tw_health_seen seen = { 0 };
	struct tw_reliability cpus = { 0 };
	int saved_errno = errno;
	unsigned tries = 5;
	int ret;

	if (clock->system || tw_counter_permission() != TW_COUNTER_OK)
		return -ENOTSUP;
	/* As at the start: others may have had the CPU for all of a look. */
	do {
		ret = tw_baseline_read(&seen.now, clock->rate.against,
				       clock->rate.hz, NULL);
	} while (ret == -EAGAIN && --tries);
	if (ret)
		return ret == -EAGAIN ? -EIO : ret;
	seen.counter_is_clocksource = tw_counter_is_clocksource(NULL);
	seen.suspended_ns = tw_suspended_ns();
	seen.vmclock_ret = tw_vmclock_read(&seen.vmclock);
	tw_independent_read(&seen.independent);
	seen.cpus_ret = at_cpus ? tw_reliability_measure(&cpus, &options) :
				  -ECANCELED;
	seen.cpus = &cpus;
	if (seen.independent.name[0]) {
		if (!at_cpus)
			nanosleep(&later, NULL);
		tw_independent_read(&seen.independent_later);
	}
	ret = tw_health_judge(clock, &seen, &out);
	if (!seen.cpus_ret)
		tw_reliability_free(&cpus);
	if (ret)
		return ret;
	tw_read_clocksource(out.clocksource, sizeof(out.clocksource));
	out.verdict = tw_health_verdict(&out);
	tell(&out);
	errno = saved_errno;
	*health = out;
	return 0;
}

int tw_clock_check(const struct tw_clock *clock, struct tw_clock_health *health)
{
	return look(clock, 1, health);
}

int tw_clock_look(const struct tw_clock *clock, struct tw_clock_health *health)
{
	return look(clock, 0, health);
}
