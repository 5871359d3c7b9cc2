/* SPDX-License-Identifier: MIT */
/*
 * Tests: core/trust.c core/contradictions.c
 *
 * The clock's health, judged on given readings: each fault makes its own check bad
 * and no other, and a check that did not run is no evidence. Fails if a drift
 * within the stated bounds is called a fault, or if a jump is not. Fails also if a
 * check that did not run counts as good, or if a missing bound becomes a number.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "clock/health.h"
#include "machine/other_clocks.h"
#include "tap.h"
#include "trust.h"

#define HZ	2e9
#define START	1000000000000ULL
#define START_NS 7000000000ULL

static struct tw_clock_state behind;
static struct tw_clock tested;
static struct tw_reliability cpus = { .size = sizeof(cpus) };
static int is_compared;
static struct tw_health_seen seen;
static struct tw_clock_health health = { .size = sizeof(health) };

static void at(struct tw_clock_baseline *baseline, uint64_t ticks, uint64_t ns)
{
	*baseline = (struct tw_clock_baseline) {
		.ticks = ticks, .system_ns = ns, .before_ticks = ticks - 40,
		.after_ticks = ticks + 40, .bracket_ns = ns,
		.granularity_ns = 1,
	};
}

/* Ten seconds after the start, and nothing is wrong. */
static void begin(enum tw_rate_source rate_source)
{
	struct tw_rate rate = {
		.size = sizeof(rate),
		.hz = HZ, .source = rate_source, .bound_ppb = 100,
		.low_hz = HZ * (1 - 100e-9), .high_hz = HZ * (1 + 100e-9),
	};

	tested = (struct tw_clock) {
		.base_ticks = START - 2000000000, .base_ns = START_NS -
			1000000000,
		.state = &behind,
	};
	behind = (struct tw_clock_state) {
		.rate = rate, .refined_rate = { rate },
		.start = { .counter_is_clocksource = 1, .suspended_ns = 500 },
	};
	tw_scale_init(&tested.scale, &rate, 0);
	tested.limit_ticks = tested.scale.max_ticks;
	at(&behind.baseline, START, START_NS);
	cpus = (struct tw_reliability) {
		.verdict = TW_RELIABLE, .hz = HZ, .offset_low_ticks = -100,
		.offset_high_ticks = 60,
	};
	seen = (struct tw_health_seen) {
		.counter_is_clocksource = 1, .suspended_ns = 900,
		.vmclock_ret = -ENOENT,
	};
	at(&seen.now, START + 20000000000, START_NS + 10000000000);
	is_compared = 1;
}

static int judge(void)
{
	struct tw_trust_compared compared;
	int ret;

	health = TW_SIZED(struct tw_clock_health);
	ret = tw_health_judge(&tested, &seen, &health);
	tw_trust_compared_of(&cpus, &compared);
	tw_trust_clock(&health, is_compared ? &compared : NULL, 1);
	return ret;
}

static void is(enum tw_verdict verdict, enum tw_health_check check,
	       enum tw_health_state state, const char *what)
{
	unsigned i, others = 0;

	tap_is_u64((unsigned)judge(), 0, "judged");
	for (i = 0; i < TW_HEALTH_CHECKS; i++)
		others += i != check && health.state[i] == TW_HEALTH_BAD;
	tap_ok(health.verdict == verdict && health.state[check] == state &&
	       others == 0, "%s: %s, %s", what,
	       tw_name(TW_ENUM_HEALTH_STATE, health.state[check]),
	       tw_name(TW_ENUM_VERDICT, health.verdict));
}

static void prediction(void)
{
	double off_ns;

	begin(TW_RATE_KERNEL);
	is(TW_RELIABLE, TW_HEALTH_PREDICTION, TW_HEALTH_GOOD, "as predicted");
	/*
	 * Brackets of 40 + 40 ticks are 40 ns. A nanosecond is the system clock's.
	 * Two conversions have a part that grows.
	 */
	off_ns = 41 + 2 * tested.scale.error_ns + 10 * tested.scale.error_ppb;
	tap_ok(fabs(health.drift_low_ns + off_ns) < 1e-6 &&
	       fabs(health.drift_high_ns - off_ns) < 1e-6 &&
	       health.drift_allowed_ns == 0 && health.over_ns == 10000000000,
	       "drift within %.3f to %.3f ns", health.drift_low_ns,
	       health.drift_high_ns);
	behind.refined_rate[0].kernel_shift = 1;
	tap_ok(!judge() && fabs(health.drift_allowed_ns - 1000) < 1e-6,
	       "another shift is another rate: its bound is allowed");
	begin(TW_RATE_KERNEL);
	at(&seen.now, START + 20000000000, START_NS + 10000000100);
	is(TW_UNRELIABLE, TW_HEALTH_PREDICTION, TW_HEALTH_BAD,
	   "the kernel's rate: 100 ns off");
	/*
	 * The clock began as measured, and the kernel's rate was found later: the
	 * error gathered before that stays, and is no fault.
	 */
	begin(TW_RATE_REGRESSION);
	behind.refined_rate[0].source = TW_RATE_KERNEL;
	behind.refined_rate[0].kernel_mult = 12345;
	behind.refined_rate[0].bound_ppb = 0;
	at(&seen.now, START + 20000000000, START_NS + 10000000100);
	is(TW_RELIABLE, TW_HEALTH_PREDICTION, TW_HEALTH_GOOD,
	   "100 ns gathered before the kernel's rate was found");
	tap_ok(fabs(health.drift_allowed_ns - 1000.00001) < 1e-6,
	       "100 ppb of 10.0000001 s are allowed: the bound at the start");
	behind.rate.bound_ppb = 0;
	behind.refined_rate[0].bound_ppb = 100;
	is(TW_UNRELIABLE, TW_HEALTH_PREDICTION, TW_HEALTH_BAD,
	   "100 ns gathered under a bound of nothing");
	begin(TW_RATE_REGRESSION);
	at(&seen.now, START + 20000000000, START_NS + 10000000990);
	is(TW_RELIABLE, TW_HEALTH_PREDICTION, TW_HEALTH_GOOD,
	   "a measured one: 990 ns in 10 s are within 100 ppb");
	at(&seen.now, START + 20000000000, START_NS + 10000001100);
	is(TW_UNRELIABLE, TW_HEALTH_PREDICTION, TW_HEALTH_BAD,
	   "1100 ns are not");
	at(&seen.now, START - 20000000, START_NS + 10000001100);
	is(TW_UNRELIABLE, TW_HEALTH_PREDICTION, TW_HEALTH_BAD,
	   "the counter was set back");
	behind.rate.against = behind.refined_rate[0].against =
		TW_AGAINST_MONOTONIC;
	at(&seen.now, START + 20000000000, START_NS + 10000900000);
	is(TW_UNDECIDED, TW_HEALTH_PREDICTION, TW_HEALTH_UNDECIDED,
	   "CLOCK_MONOTONIC may be steered by 90 ppm");
	at(&seen.now, START, START_NS);
	tap_ok(judge() == -EIO, "time stood still: -EIO");
}

static void surroundings(void)
{
	begin(TW_RATE_KERNEL);
	seen.counter_is_clocksource = 0;
	is(TW_UNRELIABLE, TW_HEALTH_CLOCKSOURCE, TW_HEALTH_BAD,
	   "the kernel has given the counter up");
	behind.start.counter_is_clocksource = 0;
	is(TW_UNDECIDED, TW_HEALTH_CLOCKSOURCE, TW_HEALTH_UNDECIDED,
	   "it never used it");
	begin(TW_RATE_KERNEL);
	seen.suspended_ns = 5000000500;
	is(TW_UNRELIABLE, TW_HEALTH_SUSPEND, TW_HEALTH_BAD,
	   "suspended for 5 s");
	tap_ok(health.suspended_ns == 5000000000, "and says for how long");
	seen.suspended_ns = 500 + TW_SUSPEND_SEEN_NS;
	is(TW_RELIABLE, TW_HEALTH_SUSPEND, TW_HEALTH_GOOD,
	   "for no longer than the two clocks can be read apart");
	seen.suspended_ns++;
	is(TW_UNRELIABLE, TW_HEALTH_SUSPEND, TW_HEALTH_BAD,
	   "for a nanosecond more");
	begin(TW_RATE_KERNEL);
	cpus.verdict = TW_UNRELIABLE;
	cpus.reasons = TW_REASON_OFFSET;
	is(TW_UNRELIABLE, TW_HEALTH_CPUS, TW_HEALTH_BAD, "two CPUs disagree");
	tap_ok(health.cpu_reasons == TW_REASON_OFFSET &&
	       fabs(health.cpu_low_ns + 50) < 1e-6 &&
	       fabs(health.cpu_high_ns - 30) < 1e-6,
	       "by how much, and why");
	cpus.verdict = TW_UNDECIDED;
	is(TW_UNDECIDED, TW_HEALTH_CPUS, TW_HEALTH_UNDECIDED, "too disturbed");
	cpus.offset_low_ticks = -INT64_MAX;
	tap_ok(!judge() && health.cpu_low_ns == -INFINITY &&
	       fabs(health.cpu_high_ns - 30) < 1e-6, "no bound below");
	cpus.offset_low_ticks = -100;
	cpus.offset_high_ticks = INT64_MAX;
	tap_ok(!judge() && health.cpu_high_ns == INFINITY &&
	       fabs(health.cpu_low_ns + 50) < 1e-6, "no bound above");
	is_compared = 0;
	is(TW_UNDECIDED, TW_HEALTH_CPUS, TW_HEALTH_NOT_RUN, "no threads");
}

static void host(void)
{
	begin(TW_RATE_KERNEL);
	is(TW_RELIABLE, TW_HEALTH_HOST, TW_HEALTH_NOT_RUN, "no such device");
	seen.vmclock_ret = 0;
	is(TW_RELIABLE, TW_HEALTH_HOST, TW_HEALTH_NOT_RUN, "one that came later");
	behind.start.vmclock = 1;
	behind.start.disruption_marker = seen.vmclock.disruption_marker = 77;
	is(TW_RELIABLE, TW_HEALTH_HOST, TW_HEALTH_GOOD, "the same marker");
	seen.vmclock.disruption_marker = 78;
	is(TW_UNRELIABLE, TW_HEALTH_HOST, TW_HEALTH_BAD,
	   "moved by its host");
}

static void independent(void)
{
	begin(TW_RATE_KERNEL);
	is(TW_RELIABLE, TW_HEALTH_INDEPENDENT, TW_HEALTH_NOT_RUN, "no device");
	strcpy(behind.start.independent, "/dev/ptp0");
	behind.start.raw_ns = START_NS;
	is(TW_RELIABLE, TW_HEALTH_INDEPENDENT, TW_HEALTH_NOT_RUN,
	   "a device that went away");
	seen.independent = (struct tw_independent) {
		"/dev/ptp0", 10000100000, START_NS + 10000000000,
	};
	is(TW_RELIABLE, TW_HEALTH_INDEPENDENT, TW_HEALTH_GOOD,
	   "10 ppm from a device: crystals are");
	tap_ok(health.independent_ppb < -9999 && health.independent_ppb >
	       -10001 && health.independent_error_ppb == 200,
	       "%.1f +- %.0f ppb", health.independent_ppb,
	       health.independent_error_ppb);
	/* 10 s of RAW, read to 2 us: a thousandth and 200 ppb are allowed.
	 * These are 1000199.8 ppb and 1000200.2. */
	seen.independent.device_ns = 9990007996;
	is(TW_RELIABLE, TW_HEALTH_INDEPENDENT, TW_HEALTH_GOOD,
	   "a thousandth, and less than reading can be off");
	seen.independent.device_ns = 9990007992;
	seen.independent_later = seen.independent;
	/* A second, 2000 ppb: 1001999.999, and with a nanosecond less
	 * 1002001. */
	seen.independent_later.raw_ns += 1000000000;
	seen.independent_later.device_ns += 998999003;
	is(TW_RELIABLE, TW_HEALTH_INDEPENDENT, TW_HEALTH_UNDECIDED,
	   "more, and a second later too little to tell");
	seen.independent_later.device_ns--;
	is(TW_UNRELIABLE, TW_HEALTH_INDEPENDENT, TW_HEALTH_BAD,
	   "more then, too");
	seen.independent.device_ns = 20000000000;
	seen.independent_later = seen.independent;
	seen.independent_later.raw_ns += 10000000;
	seen.independent_later.device_ns += 10000000;
	is(TW_RELIABLE, TW_HEALTH_INDEPENDENT, TW_HEALTH_UNDECIDED,
	   "a device that was set, and runs as fast now");
	seen.independent_later.device_ns += 10000000;
	is(TW_UNRELIABLE, TW_HEALTH_INDEPENDENT, TW_HEALTH_BAD,
	   "half as fast as a device, and still so");
	seen.independent.device_ns = 0;
	is(TW_RELIABLE, TW_HEALTH_INDEPENDENT, TW_HEALTH_UNDECIDED,
	   "a device that stands still is no evidence");
	seen.independent.raw_ns = START_NS + 1000;
	is(TW_RELIABLE, TW_HEALTH_INDEPENDENT, TW_HEALTH_UNDECIDED,
	   "a microsecond later: too soon");
}

static void names(void)
{
	unsigned i, good = 0;

	for (i = 0; i <= TW_HEALTH_CHECKS; i++)
		good += strlen(tw_name(TW_ENUM_HEALTH_CHECK, i)) &&
			strlen(tw_text(TW_ENUM_HEALTH_CHECK, i)) &&
			strlen(tw_text(TW_ENUM_HEALTH_BLIND, i));
	tap_is_u64(good, TW_HEALTH_CHECKS + 1, "all have names and texts");
}

int main(void)
{
	prediction();
	surroundings();
	host();
	independent();
	names();
	return tap_done();
}
