/* SPDX-License-Identifier: MIT */
/*
 * Tests: core/trust.c core/contradictions.c
 *
 * The clock's health, judged on given readings: each fault makes its own check bad
 * and no other, and a check that did not run is no evidence. The only difference between
 * tw_clock_check() and tw_clock_look() is whether the CPUs are compared.
 *
 * Fails if a drift within the stated bounds is called a fault, or if a jump is not. Fails
 * if a check that did not run counts as good, or if a missing bound becomes a number.
 * Fails also if the clocks are not read in the narrowest bracket, if a look misses a
 * fault, writes outputs where it fails, or compares the CPUs where a job still runs.
 *
 * Wraps: tw_health_see tw_independent_read tw_estimate tw_reliability_free
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "clock_by_hand.h"
#include "estimate/probe.h"
#include "trust.h"

#define HZ	2e9
#define START	1000000000000ULL
#define START_NS 7000000000ULL

static struct tw_clock_state behind;
static struct tw_clock tested;
/* The result of comparing the CPUs, and how often it was done. */
static struct tw_reliability cpus;
static unsigned compared;
static int is_compared;
/* What a look finds; the result is the library's own. */
static struct tw_health_seen seen;
static int see_result;
static struct tw_clock_health health;
static char told[256];

int __wrap_tw_health_see(struct tw_health_seen *now);
void __wrap_tw_independent_read(struct tw_independent *now);
int __wrap_tw_estimate(struct tw_reliability *result,
		       const struct tw_reliability_options *options,
		       const struct tw_probe_system *system);
void __wrap_tw_reliability_free(struct tw_reliability *result);

int __wrap_tw_health_see(struct tw_health_seen *now)
{
	*now = seen;
	return see_result;
}

void __wrap_tw_independent_read(struct tw_independent *now)
{
	(void)now;
}

int __wrap_tw_estimate(struct tw_reliability *result,
		       const struct tw_reliability_options *options,
		       const struct tw_probe_system *system)
{
	(void)options, (void)system;
	compared++;
	*result = cpus;
	return 0;
}

void __wrap_tw_reliability_free(struct tw_reliability *result)
{
	(void)result;
}

static void at(struct tw_clock_baseline *baseline, uint64_t ticks, uint64_t ns)
{
	*baseline = (struct tw_clock_baseline) {
		.bracket = { ticks - 40, ticks + 40, ns },
		.granularity_ns = 1,
	};
}

/* Ten seconds have passed on the counter, and @ns on the system's clock. */
static void later_by(uint64_t ns)
{
	at(&seen.baseline, START + 20000000000, START_NS + ns);
}

/* Ten seconds after the start, and nothing is wrong. */
static void begin(enum tw_rate_source rate_source)
{
	const struct tw_rate rate = {
		.hz = HZ, .source = rate_source, .bound_ppb = 100,
		.low_hz = HZ * (1 - 100e-9), .high_hz = HZ * (1 + 100e-9),
	};

	by_hand(&tested, &behind, rate, START - 2000000000, START_NS - 1000000000);
	behind.start.counter_is_clocksource = 1;
	behind.start.suspended_ns = 500;
	behind.start.vmclock_ret = -ENOENT;
	at(&behind.start.baseline, START, START_NS);
	cpus = (struct tw_reliability) {
		.verdict = TW_RELIABLE, .hz = HZ, .offset_low_ticks = -100,
		.offset_high_ticks = 60,
	};
	seen = (struct tw_health_seen) {
		.counter_is_clocksource = 1, .suspended_ns = 900,
		.vmclock_ret = -ENOENT, .clocksource = "seen",
	};
	later_by(10000000000);
	is_compared = 1;
	see_result = 0;
	compared = 0;
}

static int judge(void)
{
	struct tw_trust_compared result;
	int ret;

	health = TW_SIZED(struct tw_clock_health);
	ret = tw_health_judge(&tested, &seen, &health);
	tw_trust_compared_of(&cpus, &result);
	tw_trust_clock(&health, is_compared ? &result : NULL, 1);
	return ret;
}

static void is(enum tw_verdict verdict, enum tw_health_check check,
	       enum tw_health_state state, const char *what)
{
	unsigned others = 0;

	tap_is_u64((unsigned)judge(), 0, "judged");
	for (unsigned i = 0; i < TW_HEALTH_CHECKS; i++)
		others += i != check && health.state[i] == TW_HEALTH_BAD;
	tap_ok(health.verdict == verdict && health.state[check] == state &&
	       others == 0, "%s: %s, %s", what,
	       tw_name(TW_ENUM_HEALTH_STATE, health.state[check]),
	       tw_name(TW_ENUM_VERDICT, health.verdict));
}

#define IS(verdict, check, state, what) \
	is(TW_##verdict, TW_HEALTH_##check, TW_HEALTH_##state, what)

static void prediction(void)
{
	double off_ns;

	begin(TW_RATE_KERNEL);
	tested.scale.error_ppb = 0.5;
	IS(RELIABLE, PREDICTION, GOOD, "as predicted");
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
	later_by(10000000100);
	IS(UNRELIABLE, PREDICTION, BAD, "the kernel's rate: 100 ns off");
	begin(TW_RATE_REGRESSION);
	later_by(10000000990);
	IS(RELIABLE, PREDICTION, GOOD, "a measured one: 990 ns in 10 s are within 100 ppb");
	later_by(10000001100);
	IS(UNRELIABLE, PREDICTION, BAD, "1100 ns are not");
	at(&seen.baseline, START - 20000000, START_NS + 10000001100);
	IS(UNRELIABLE, PREDICTION, BAD, "the counter was set back");
	at(&seen.baseline, START, START_NS);
	tap_ok(judge() == -EIO, "time stood still: -EIO");
}

static void surroundings(void)
{
	begin(TW_RATE_KERNEL);
	seen.counter_is_clocksource = 0;
	IS(UNRELIABLE, CLOCKSOURCE, BAD, "the kernel has given the counter up");
	behind.start.counter_is_clocksource = 0;
	IS(UNDECIDED, CLOCKSOURCE, UNDECIDED, "it never used it");
	begin(TW_RATE_KERNEL);
	seen.suspended_ns = 5000000500;
	IS(UNRELIABLE, SUSPEND, BAD, "suspended for 5 s");
	tap_ok(health.suspended_ns == 5000000000, "and says for how long");
	seen.suspended_ns = 500 + TW_SUSPEND_SEEN_NS;
	IS(RELIABLE, SUSPEND, GOOD, "for no longer than the two clocks can be read apart");
	seen.suspended_ns++;
	IS(UNRELIABLE, SUSPEND, BAD, "for a nanosecond more");
	begin(TW_RATE_KERNEL);
	cpus.verdict = TW_UNRELIABLE;
	cpus.reasons = TW_REASON_OFFSET;
	IS(UNRELIABLE, CPUS, BAD, "two CPUs disagree");
	tap_ok(health.cpu_reasons == TW_REASON_OFFSET &&
	       fabs(health.cpu_low_ns + 50) < 1e-6 &&
	       fabs(health.cpu_high_ns - 30) < 1e-6,
	       "by how much, and why");
	cpus.verdict = TW_UNDECIDED;
	IS(UNDECIDED, CPUS, UNDECIDED, "too disturbed");
	cpus.offset_low_ticks = -INT64_MAX;
	tap_ok(!judge() && health.cpu_low_ns == -INFINITY &&
	       fabs(health.cpu_high_ns - 30) < 1e-6, "no bound below");
	cpus.offset_low_ticks = -100;
	cpus.offset_high_ticks = INT64_MAX;
	tap_ok(!judge() && health.cpu_high_ns == INFINITY &&
	       fabs(health.cpu_low_ns + 50) < 1e-6, "no bound above");
	is_compared = 0;
	IS(UNDECIDED, CPUS, NOT_RUN, "no threads");
}

static void host(void)
{
	begin(TW_RATE_KERNEL);
	IS(RELIABLE, HOST, NOT_RUN, "no such device");
	seen.vmclock_ret = 0;
	IS(RELIABLE, HOST, NOT_RUN, "one that came later");
	behind.start.vmclock_ret = 0;
	behind.start.vmclock.disruption_marker = seen.vmclock.disruption_marker = 77;
	IS(RELIABLE, HOST, GOOD, "the same marker");
	seen.vmclock.disruption_marker = 78;
	IS(UNRELIABLE, HOST, BAD, "moved by its host");
}

static void independent(void)
{
	begin(TW_RATE_KERNEL);
	IS(RELIABLE, INDEPENDENT, NOT_RUN, "no device");
	behind.start.independent = (struct tw_independent) { "/dev/ptp0", 0, START_NS };
	IS(RELIABLE, INDEPENDENT, NOT_RUN, "a device that went away");
	seen.independent = (struct tw_independent) {
		"/dev/ptp0", 10000100000, START_NS + 10000000000,
	};
	IS(RELIABLE, INDEPENDENT, GOOD, "10 ppm from a device: crystals are");
	tap_ok(health.independent_ppb < -9999 && health.independent_ppb >
	       -10001 && health.independent_error_ppb == 200,
	       "%.1f +- %.0f ppb", health.independent_ppb,
	       health.independent_error_ppb);
	/* 10 s of RAW, read to 2 us: a thousandth and 200 ppb are allowed.
	 * These are 1000199.8 ppb and 1000200.2. */
	seen.independent.device_ns = 9990007996;
	IS(RELIABLE, INDEPENDENT, GOOD, "a thousandth, and less than reading can be off");
	seen.independent.device_ns = 9990007992;
	seen.independent_later = seen.independent;
	/* A second, 2000 ppb: 1001999.999, and with a nanosecond less
	 * 1002001. */
	seen.independent_later.raw_ns += 1000000000;
	seen.independent_later.device_ns += 998999003;
	IS(RELIABLE, INDEPENDENT, UNDECIDED, "more, and a second later too little to tell");
	seen.independent_later.device_ns--;
	IS(UNRELIABLE, INDEPENDENT, BAD, "more then, too");
	seen.independent.device_ns = 20000000000;
	seen.independent_later = seen.independent;
	seen.independent_later.raw_ns += 10000000;
	seen.independent_later.device_ns += 10000000;
	IS(RELIABLE, INDEPENDENT, UNDECIDED, "a device that was set, and runs as fast now");
	seen.independent_later.device_ns += 10000000;
	IS(UNRELIABLE, INDEPENDENT, BAD, "half as fast as a device, and still so");
	seen.independent.device_ns = 0;
	IS(RELIABLE, INDEPENDENT, UNDECIDED, "a device that stands still is no evidence");
	seen.independent.raw_ns = START_NS + 1000;
	IS(RELIABLE, INDEPENDENT, UNDECIDED, "a microsecond later: too soon");
}

/* ---- a check and a look ---- */

static void hear(void *context, int level, const char *message)
{
	(void)context;
	if (level == TW_SAY_WARNING && strstr(message, "suspend"))
		snprintf(told, sizeof(told), "%s", message);
}

/* The machine was suspended for 5 s. The reasons that are compared do not depend on this
 * machine. */
static void checked(int (*check)(const struct tw_clock *, struct tw_clock_health *),
		    unsigned reasons, enum tw_health_state found, const char *what)
{
	int ret, same_errno, is_look = check == tw_clock_look;

	begin(TW_RATE_KERNEL);
	cpus.reasons = reasons;
	seen.suspended_ns = 5000000500;
	told[0] = '\0';
	health = TW_SIZED(struct tw_clock_health);
	errno = 77;
	ret = check(&tested, &health);
	same_errno = errno == 77;
	tap_ok(ret == 0 && same_errno && health.verdict == TW_UNRELIABLE &&
	       health.state[TW_HEALTH_SUSPEND] == TW_HEALTH_BAD &&
	       health.suspended_ns == 5000000000 && !strcmp(health.clocksource, "seen") &&
	       !strcmp(told, "clock: check of suspend: bad"),
	       "%s: unreliable, as the machine was suspended, and told: %s", what, told);
	tap_ok(health.state[TW_HEALTH_CPUS] == found && compared == !is_look &&
	       (is_look || ((health.cpu_reasons & (TW_REASON_OFFSET |
						   TW_REASON_STATISTICS)) == reasons &&
			    fabs(health.cpu_low_ns + 50) < 1e-6 &&
			    fabs(health.cpu_high_ns - 30) < 1e-6)),
	       "the CPUs are judged by what was found: %s", what);
}

static void fails(int wanted, const char *what)
{
	struct tw_clock_health before = TW_SIZED(struct tw_clock_health);

	health = before;
	tap_ok(tw_clock_check(&tested, &health) == wanted &&
	       !memcmp(&health, &before, sizeof(health)), "%s", what);
}

static void checks(void)
{
	tw_set_diagnostics(hear, NULL);
	checked(tw_clock_look, 0, TW_HEALTH_NOT_RUN, "not compared");
	checked(tw_clock_check, 0, TW_HEALTH_GOOD, "nothing");
	checked(tw_clock_check, TW_REASON_STATISTICS, TW_HEALTH_UNDECIDED, "too little");
	checked(tw_clock_check, TW_REASON_OFFSET, TW_HEALTH_BAD, "an offset");
	begin(TW_RATE_KERNEL);
	tested.system = 1;
	fails(-ENOTSUP, "a clock that reads the system's");
	begin(TW_RATE_KERNEL);
	behind.start.baseline.bracket.reference_ns = 1ULL << 62;
	fails(-EIO, "time went back since it was set up");
	begin(TW_RATE_KERNEL);
	see_result = -ENOMEM;
	fails(-ENOMEM, "a look that fails");
}

/* ---- one reading of both clocks ---- */

/* Each reading takes 30 to 69 ticks of the counter. */
static uint64_t pass(void *context)
{
	static uint64_t ticks = START;

	return ticks += 30 + tap_random(context) % 40;
}

static uint64_t pass_ns(void *context)
{
	return pass(context) / 2;
}

static void baseline(void)
{
	uint64_t random = 12345;
	const struct tw_time_source source = {
		.size = sizeof(source), .context = &random, .granularity_ns = 1,
		.read_ticks = pass, .read_ns = pass_ns,
	};
	struct tw_clock_baseline now = { .granularity_ns = 0 };
	int ret = tw_baseline_read(&now, &source);
	uint64_t ticks = now.bracket.reference_ns * 2;

	tap_ok(!ret && now.bracket.before_ticks <= ticks &&
	       ticks + 1 <= now.bracket.after_ticks && now.granularity_ns == 1,
	       "both clocks are read: the counter's two readings enclose the system's");
	tap_ok(now.bracket.after_ticks - now.bracket.before_ticks < 64,
	       "in the narrowest of some thousand brackets: %" PRIu64 " ticks",
	       now.bracket.after_ticks - now.bracket.before_ticks);
}

int main(void)
{
	baseline();
	prediction();
	surroundings();
	host();
	independent();
	checks();
	return tap_done();
}
