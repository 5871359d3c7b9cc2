/* SPDX-License-Identifier: MIT */
/*
 * On this machine a new clock is not called faulty, and all checks that are
 * possible were made. Fails if a check is bad where nothing is wrong: a disturbed
 * check is undecided. Where the counter itself is unreliable, estimate_verdict.c
 * tells so. unit/clock/clock_health judges made clocks.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "tap.h"
#include "tickwise.h"

static void check(enum tw_against against)
{
	const struct tw_clock_options options = {
		.size = sizeof(options),
		.window_ns = 20000000, .against = against,
	};
	struct tw_clock_health health = TW_SIZED(struct tw_clock_health);
	static struct tw_clock tested;
	struct tw_rate rate = TW_SIZED(struct tw_rate);
	unsigned i;
	int ret;

	if (tw_clock_init(&tested, &options) || tested.system) {
		tap_skip("the counter can't be used here: %s",
			 strerror(-tested.system_errno));
		return;
	}
	usleep(200000);
	tap_ok(tw_clock_check(&tested, &health) == 0, "%s: checked",
	       tw_name(TW_ENUM_AGAINST, against));
	for (i = 0; i < TW_HEALTH_CHECKS; i++)
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
	ret = tw_clock_refine(&tested);
	tw_clock_rate(&tested, &rate);
	if (ret == -EAGAIN)
		tap_skip("too disturbed to refine");
	else
		tap_ok(ret == 0 && rate.hz >= rate.low_hz &&
		       rate.hz <= rate.high_hz, "refined: %s, +-%.3f ppb",
		       tw_name(TW_ENUM_RATE_SOURCE, rate.source),
	       rate.uncertainty_ppb);
}

int main(void)
{
	check(TW_AGAINST_RAW);
	check(TW_AGAINST_MONOTONIC);
	return tap_done();
}
