/* SPDX-License-Identifier: MIT */
/*
 * Looking at a clock: one whose machine was suspended since, by what it noted at its
 * start, is unreliable on any machine. Whether the CPUs are compared is the only
 * difference between tw_clock_check() and tw_clock_look(). What they come to is up to
 * this machine, so only what follows from it is tested.
 *
 * Fails if a look gives no verdict, tells no fault, writes where it fails, or
 * compares the CPUs where a job still runs.
 */
#include <errno.h>
#include <string.h>

#include "clock/clock.h"
#include "estimate/reasons.h"
#include "machine/machine.h"
#include "tap.h"
#include "trust_measure.h"

static struct tw_clock_state state;
static struct tw_clock tested;
static char told[256];

static void hear(void *context, int level, const char *message)
{
	(void)context;
	if (level == TW_SAY_WARNING && strstr(message, "suspend"))
		snprintf(told, sizeof(told), "%s", message);
}

/* Set up when the machine had been suspended for 1000 s less. */
static void begin(void)
{
	struct tw_rate rate = {
		.size = sizeof(rate),
		.hz = 1e9, .low_hz = 0.9e9, .high_hz = 1.1e9, .bound_ppb = 1e8,
	};

	state = (struct tw_clock_state) {
		.rate = rate, .refined_rate = { rate },
		.start = { .suspended_ns = -1000000000000 },
		.baseline = { .granularity_ns = 1 },
	};
	tested = (struct tw_clock) { .state = &state };
	tw_scale_init(&tested.scale, &rate, 0);
	tested.limit_ticks = tested.scale.max_ticks;
}

static void is_suspended(const struct tw_clock_health *health, int ret,
			 const char *name)
{
	char clocksource[sizeof(health->clocksource)];

	/* Others had the CPU for all of five looks. */
	if (ret == -EIO) {
		tap_skip("%s: disturbed", name);
		return;
	}
	tw_read_clocksource(clocksource, sizeof(clocksource));
	tap_ok(ret == 0 && errno == 77 && health->verdict == TW_UNRELIABLE &&
	       health->state[TW_HEALTH_SUSPEND] == TW_HEALTH_BAD &&
	       health->suspended_ns >= 1000000000000,
	       "%s: unreliable, as the machine was suspended", name);
	tap_ok(!strcmp(health->clocksource, clocksource),
	       "%s: the kernel keeps time by %s", name, clocksource);
	tap_ok(!strcmp(told, "clock: check of suspend: bad"), "%s: told: %s",
	       name, told);
}

static void without_cpus(void)
{
	struct tw_clock_health health = TW_SIZED(struct tw_clock_health);
	int ret;

	begin();
	told[0] = '\0';
	errno = 77;
	ret = tw_clock_look(&tested, &health);
	is_suspended(&health, ret, "tw_clock_look()");
	tap_ok(health.state[TW_HEALTH_CPUS] == TW_HEALTH_NOT_RUN,
	       "the CPUs were not compared");
}

/* By their state: the reasons that there have to be for it. */
static int fits(enum tw_health_state found, unsigned reasons)
{
	switch (found) {
	case TW_HEALTH_BAD:
		return (reasons & TW_REASONS_PROOF) != 0;
	case TW_HEALTH_UNDECIDED:
		return (reasons & TW_REASONS_DOUBT) &&
		       !(reasons & TW_REASONS_PROOF);
	case TW_HEALTH_GOOD:
		return !(reasons & (TW_REASONS_DOUBT | TW_REASONS_PROOF));
	default:
		return reasons == 0;
	}
}

static void with_cpus(void)
{
	struct tw_clock_health health = TW_SIZED(struct tw_clock_health);
	int ret;

	begin();
	told[0] = '\0';
	errno = 77;
	ret = tw_clock_check(&tested, &health);
	is_suspended(&health, ret, "tw_clock_check()");
	tap_ok(fits(health.state[TW_HEALTH_CPUS], health.cpu_reasons) &&
	       health.cpu_low_ns <= health.cpu_high_ns,
	       "the CPUs are judged by what was found");
}

static void refused(void)
{
	struct tw_clock_health health = TW_SIZED(struct tw_clock_health);
	struct tw_clock_health before = health;

	begin();
	tested.system = 1;
	tap_ok(tw_clock_check(&tested, &health) == -ENOTSUP &&
	       !memcmp(&health, &before, sizeof(health)),
	       "a clock that reads the system's");
	begin();
	state.baseline.bracket_ns = 1ULL << 62;
	tap_ok(tw_clock_check(&tested, &health) == -EIO &&
	       !memcmp(&health, &before, sizeof(health)),
	       "time went back since it was set up");
}

int main(void)
{
	tw_set_diagnostics(hear, NULL);
	without_cpus();
	with_cpus();
	refused();
	return tap_done();
}
