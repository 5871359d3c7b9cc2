/* SPDX-License-Identifier: MIT */
/*
 * Collects what a program can see of a clock's health, except the CPUs' counters.
 * health_judge.c finds out what it means.
 */
#include "health.h"

#include <errno.h>

#include "machine/machine.h"
#include "machine/suspend.h"
#include "refine.h"

int tw_health_see(const struct tw_clock *clock, struct tw_health_seen *seen)
{
	unsigned tries = 5;
	int ret;

	/* As at the start: other threads may have had the CPU during a whole
	 * look. */
	do {
		ret = tw_baseline_read(&seen->now, clock->state->rate.against,
				       clock->state->rate.hz, NULL);
	} while (ret == -EAGAIN && --tries);
	if (ret)
		return ret == -EAGAIN ? -EIO : ret;
	seen->counter_is_clocksource = tw_counter_is_clocksource(NULL);
	seen->suspended_ns = tw_suspended_ns();
	seen->vmclock_ret = tw_vmclock_read(&seen->vmclock);
	tw_independent_read(&seen->independent);
	tw_read_clocksource(seen->clocksource, sizeof(seen->clocksource));
	return 0;
}

void tw_health_see_later(struct tw_health_seen *seen)
{
	if (seen->independent.name[0])
		tw_independent_read(&seen->independent_later);
}
