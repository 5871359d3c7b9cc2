/* SPDX-License-Identifier: MIT */
/*
 * On this machine the clock agrees with the system clock that it is anchored on, and is not
 * called faulty. After a run of t, this error is allowed: the anchor's hard error, the rate's
 * hard bound times t, what NTP may do to CLOCK_MONOTONIC in that time, half of the bracket of
 * the comparison, two roundings.
 *
 * Fails if the rate, the anchor or the conversion is off by more than their own stated
 * bounds, or if a check is bad where nothing is wrong: a disturbed check is undecided. Where
 * the counter itself is unreliable, estimate.c tells so.
 */
#include <errno.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "machine/steering.h"
#include "tap.h"
#include "tickwise.h"

static void follow(enum tw_against against, const char *name)
{
	const struct tw_clock_options options = {
		.size = sizeof(options),
		.window_ns = 50000000, .anchor = against,
	};
	struct tw_clock_mark mark = TW_SIZED(struct tw_clock_mark);
	struct tw_rate rate = TW_SIZED(struct tw_rate);
	struct tw_clock clock;
	double allowed_ns, off_ns, width_ns;

	if (tw_clock_init(&clock, &options)) {
		tap_ok(0, "%s: tw_clock_init", name);
		return;
	}
	if (clock.system) {
		tap_skip("%s: the counter can't be used here: %s", name,
			 strerror(-clock.system_errno));
		return;
	}
	usleep(200000);
	tw_clock_mark(against, 100, &mark);
	tw_clock_rate(&clock, &rate);
	width_ns = (double)(mark.ticks_after - mark.ticks_before) /
		   rate.hz * 1e9;
	off_ns = (double)tw_clock_ns_at(&clock, mark.ticks_before +
			(mark.ticks_after - mark.ticks_before) / 2) -
		 (double)mark.system_ns;
	allowed_ns = (double)clock.anchor_error_ns + width_ns / 2 + 2 +
		     (rate.bound_ppb * 1e-9 +
		      (against == TW_AGAINST_RAW ? 0 : TW_NTP_MAX_PPM / 1e6)) *
		     ((double)mark.system_ns - (double)clock.anchor_ns);
	tap_note("%s: off %.1f ns, allowed %.1f; source %s", name, off_ns,
		 allowed_ns, tw_name(TW_ENUM_RATE_SOURCE, rate.source));
	tap_ok(fabs(off_ns) <= allowed_ns, "%s: within the stated bounds",
	       name);
	tw_clock_free(&clock);
}

static void check(void)
{
	const struct tw_clock_options options = {
		.size = sizeof(options), .window_ns = 20000000,
	};
	struct tw_clock_health health = TW_SIZED(struct tw_clock_health);
	static struct tw_clock tested;

	if (tw_clock_init(&tested, &options) || tested.system) {
		tap_skip("the counter can't be used here: %s",
			 strerror(-tested.system_errno));
		return;
	}
	usleep(200000);
	tap_ok(tw_clock_check(&tested, &health) == 0, "checked");
	for (unsigned i = 0; i < TW_HEALTH_CHECKS; i++)
		tap_note("%s: %s",
			 tw_name(TW_ENUM_HEALTH_CHECK, (enum tw_health_check)i),
			 tw_name(TW_ENUM_HEALTH_STATE, health.state[i]));
	tap_note("drift within %.1f to %.1f ns over %.3f s, allowed %.1f; "
		 "clocksource %s", health.drift_low_ns, health.drift_high_ns,
		 (double)health.over_ns / 1e9, health.drift_allowed_ns,
		 health.clocksource);
	tap_ok(health.state[TW_HEALTH_PREDICTION] != TW_HEALTH_BAD &&
	       health.state[TW_HEALTH_SUSPEND] != TW_HEALTH_BAD,
	       "not proven to be off, and not suspended");
	tap_ok(health.state[TW_HEALTH_CPUS] != TW_HEALTH_NOT_RUN,
	       "the CPUs were compared");
}

int main(void)
{
	follow(TW_AGAINST_RAW, "CLOCK_MONOTONIC_RAW");
	follow(TW_AGAINST_MONOTONIC, "CLOCK_MONOTONIC");
	check();
	return tap_done();
}
