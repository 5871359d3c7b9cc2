/* SPDX-License-Identifier: MIT */
/*
 * Tests: core/trust.c core/contradictions.c
 *
 * A clock whose machine was suspended since it was set up is unreliable. The only
 * difference between tw_clock_check() and tw_clock_look() is whether the CPUs are
 * compared. The test provides what a look finds, and the result of comparing the
 * CPUs.
 *
 * Fails if a look gives no verdict or misses a fault, if it writes outputs where it
 * fails, or if it compares the CPUs where a job still runs.
 *
 * Wraps: tw_health_see tw_health_see_later
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "clock/clock.h"
#include "clock/health.h"
#include "estimate/reliability.h"
#include "tap.h"
#include "trust.h"

static struct tw_clock_state state;
static struct tw_clock tested;
static char told[256];

/* What a look finds; the result is the library's own. */
static struct tw_health_seen seen;
static int see_result;
/* The result of comparing the CPUs, and how often it was done. */
static struct tw_reliability cpus;
static unsigned compared;

int __wrap_tw_health_see(const struct tw_clock *clock, struct tw_health_seen *now);
void __wrap_tw_health_see_later(struct tw_health_seen *now);

int __wrap_tw_health_see(const struct tw_clock *clock, struct tw_health_seen *now)
{
	(void)clock;
	*now = seen;
	return see_result;
}

void __wrap_tw_health_see_later(struct tw_health_seen *now)
{
	(void)now;
}

int tw_estimate(struct tw_reliability *result,
		const struct tw_reliability_options *options,
		const struct tw_probe_system *system)
{
	(void)options;
	(void)system;
	compared++;
	*result = cpus;
	return 0;
}

void tw_reliability_free(struct tw_reliability *result)
{
	(void)result;
}

static void hear(void *context, int level, const char *message)
{
	(void)context;
	if (level == TW_SAY_WARNING && strstr(message, "suspend"))
		snprintf(told, sizeof(told), "%s", message);
}

/* The reasons that do not depend on this machine. */
#define OF_ESTIMATE	(TW_REASON_OFFSET | TW_REASON_STATISTICS)
#define SUSPENDED_NS	1000000000000

/* A second after the clock's set-up, the machine was suspended for 1000 s. */
static void begin(unsigned reasons)
{
	struct tw_rate rate = {
		.size = sizeof(rate),
		.hz = 1e9, .low_hz = 0.9e9, .high_hz = 1.1e9, .bound_ppb = 1e8,
	};

	state = (struct tw_clock_state) {
		.rate = rate, .refined_rate = { rate },
		.start = { .suspended_ns = -5000 },
		.baseline = { .granularity_ns = 1 },
	};
	seen = (struct tw_health_seen) {
		.now = {
			.before_ticks = 1000000000, .after_ticks = 1000000000,
			.bracket_ns = 1000000000, .granularity_ns = 1,
		},
		.clocksource = "seen", .suspended_ns = SUSPENDED_NS - 5000,
		.vmclock_ret = -ENOENT,
	};
	see_result = 0;
	cpus = (struct tw_reliability) {
		.reasons = reasons, .hz = 1e9,
		.offset_low_ticks = -30, .offset_high_ticks = 20,
	};
	compared = 0;
	tested = (struct tw_clock) { .state = &state };
	tw_scale_init(&tested.scale, &rate, 0);
	tested.limit_ticks = tested.scale.max_ticks;
}

static void is_suspended(const struct tw_clock_health *health, int ret,
			 const char *name)
{
	tap_ok(ret == 0 && errno == 77 && health->verdict == TW_UNRELIABLE &&
	       health->state[TW_HEALTH_SUSPEND] == TW_HEALTH_BAD &&
	       health->suspended_ns == SUSPENDED_NS,
	       "%s: unreliable, as the machine was suspended", name);
	tap_ok(!strcmp(health->clocksource, "seen"),
	       "%s: what the kernel keeps time by", name);
	tap_ok(!strcmp(told, "clock: check of suspend: bad"), "%s: told: %s",
	       name, told);
}

static void without_cpus(void)
{
	struct tw_clock_health health = TW_SIZED(struct tw_clock_health);
	int ret;

	begin(0);
	told[0] = '\0';
	errno = 77;
	ret = tw_clock_look(&tested, &health);
	is_suspended(&health, ret, "tw_clock_look()");
	tap_ok(health.state[TW_HEALTH_CPUS] == TW_HEALTH_NOT_RUN && !compared,
	       "the CPUs were not compared");
}

static void cpus_are(unsigned reasons, enum tw_health_state found,
		     const char *what)
{
	struct tw_clock_health health = TW_SIZED(struct tw_clock_health);
	int ret;

	begin(reasons);
	told[0] = '\0';
	errno = 77;
	ret = tw_clock_check(&tested, &health);
	is_suspended(&health, ret, "tw_clock_check()");
	tap_ok(compared == 1 && health.state[TW_HEALTH_CPUS] == found &&
	       (health.cpu_reasons & OF_ESTIMATE) == reasons &&
	       fabs(health.cpu_low_ns + 30) < 1e-6 &&
	       fabs(health.cpu_high_ns - 20) < 1e-6,
	       "the CPUs are judged by what was found: %s", what);
}

static void with_cpus(void)
{
	cpus_are(0, TW_HEALTH_GOOD, "nothing");
	cpus_are(TW_REASON_STATISTICS, TW_HEALTH_UNDECIDED, "too little");
	cpus_are(TW_REASON_OFFSET, TW_HEALTH_BAD, "an offset");
}

static void fails(int wanted, const char *what)
{
	struct tw_clock_health health = TW_SIZED(struct tw_clock_health);
	struct tw_clock_health before = health;

	tap_ok(tw_clock_check(&tested, &health) == wanted &&
	       !memcmp(&health, &before, sizeof(health)), "%s", what);
}

static void refused(void)
{
	begin(0);
	tested.system = 1;
	fails(-ENOTSUP, "a clock that reads the system's");
	begin(0);
	state.baseline.bracket_ns = 1ULL << 62;
	fails(-EIO, "time went back since it was set up");
	begin(0);
	see_result = -ENOMEM;
	fails(-ENOMEM, "a look that fails");
}

int main(void)
{
	tw_set_diagnostics(hear, NULL);
	without_cpus();
	with_cpus();
	refused();
	return tap_done();
}
