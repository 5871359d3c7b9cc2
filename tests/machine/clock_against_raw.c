/* SPDX-License-Identifier: MIT */
/*
 * On this machine the clock agrees with the system clock that it is anchored on.
 * Fails if the rate, the anchor or the conversion is off by more than their own
 * stated bounds.
 *
 * After a run of t, this error is allowed: the anchor's hard error, the rate's hard
 * bound times t, half of the bracket of the comparison, two roundings.
 */
#include <errno.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "tap.h"
#include "tickwise.h"

static void follow(enum tw_against against, const char *name)
{
	const struct tw_clock_options options = {
		.size = sizeof(options),
		.window_ns = 50000000, .against = against,
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
		     rate.bound_ppb * 1e-9 *
		     ((double)mark.system_ns - (double)clock.anchor_ns);
	tap_note("%s: off %.1f ns, allowed %.1f; source %s", name, off_ns,
		 allowed_ns, tw_name(TW_ENUM_RATE_SOURCE, rate.source));
	tap_ok(fabs(off_ns) <= allowed_ns, "%s: within the stated bounds",
	       name);
	tw_clock_free(&clock);
}

int main(void)
{
	follow(TW_AGAINST_RAW, "CLOCK_MONOTONIC_RAW");
	follow(TW_AGAINST_MONOTONIC, "CLOCK_MONOTONIC");
	return tap_done();
}
