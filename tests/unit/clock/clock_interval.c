/* SPDX-License-Identifier: MIT */
/*
 * Checks the error of an interval, part by part, on a clock and CPU offsets made by
 * hand, against values worked out on paper. On intervals of known length with every
 * part at its worst, the truth is within the total. Fails if a sign is wrong, a
 * part is left out, or bounds are added as if they were sigmas.
 */
#include <errno.h>
#include <math.h>

#include "clock_by_hand.h"

#define HZ	2e9			/* a tick is half a nanosecond */
#define BASE	1000000000000ULL

static struct tw_clock_state state;
static struct tw_clock tested;
static struct tw_reliability cpus = { .size = sizeof(cpus) };
static struct tw_cpu_offset pairs[] = {
	/* CPU 1 is 40 to 100 ticks ahead of CPU 0, CPU 2 is 300 to 200 behind. */
	{ .base_cpu = 0, .cpu = 1, .low_ticks = 40, .high_ticks = 100 },
	{ .base_cpu = 0, .cpu = 2, .low_ticks = -300, .high_ticks = -200 },
	{ .base_cpu = 1, .cpu = 2, .low_ticks = -400, .high_ticks = INT64_MAX },
};

static void begin(void)
{
	struct tw_rate rate = {
		.hz = HZ, .uncertainty_ppb = 10, .measured_hz = HZ,
		.low_hz = HZ * (1 - 100e-9), .high_hz = HZ * (1 + 300e-9),
	};

	by_hand(&tested, &state, rate, BASE, 5);
	state.read.high_ns = 24;
	state.read.step_ticks = 1;
	state.reliability = &cpus;
	cpus = (struct tw_reliability) {
		.size = sizeof(struct tw_reliability),
		.offsets = pairs, .pairs = 3, .offset_low_ticks = -400,
		.offset_high_ticks = 100,
	};
}

static int is_near(double a, double b)
{
	return fabs(a - b) < 1e-6 + fabs(b) * 1e-9;
}

static void is_error(const struct tw_error *error, double low_ns,
		     double high_ns, const char *what)
{
	int good = (is_near(error->low_ns, low_ns) ||
		    error->low_ns == low_ns) &&
		   (is_near(error->high_ns, high_ns) ||
		    error->high_ns == high_ns);

	tap_ok(good, "%s: %g to %g", what, low_ns, high_ns);
	if (!good)
		tap_note("is %.12g to %.12g", error->low_ns, error->high_ns);
}

static struct tw_interval interval_of(unsigned begin_cpu, unsigned end_cpu,
				      int64_t ticks)
{
	const struct tw_stamp from = { BASE + 4000000000, begin_cpu };
	const struct tw_stamp to = {
		BASE + 4000000000 + (uint64_t)ticks, end_cpu,
	};
	struct tw_interval interval = TW_SIZED(struct tw_interval);

	if (tw_interval(&tested, &from, &to, &interval))
		interval.ns = -1;
	return interval;
}

static void parts(void)
{
	struct tw_interval i = interval_of(0, 0, 2000000000);
	double rounding = 0.5 + tested.scale.error_ns +
			  tested.scale.error_ppb;
	double rate_low = 1e9 * (1 / (1 + 300e-9) - 1);
	double rate_high = 1e9 * (1 / (1 - 100e-9) - 1);

	tap_ok(i.ns == 1000000000, "a second");
	is_error(&i.read, -24, 0, "reading");
	is_error(&i.cpu_offset, 0, 0, "one CPU");
	is_error(&i.rate, rate_low, rate_high, "rate");
	is_error(&i.quantisation, -rounding, rounding, "quantisation");
	is_error(&i.total, -24 + rate_low - rounding, rate_high + rounding,
		 "hard bounds add up");
	tap_ok(is_near(i.sigma_ns, sqrt(24.0 * 24 / 12 + 10 * 10 +
					rounding * rounding / 3)),
	       "sigmas as squares: %g", i.sigma_ns);
	i = interval_of(0, 0, -2000000000);
	tap_ok(i.ns == -1000000000, "the second first: a negative second");
	is_error(&i.rate, -rate_high, -rate_low, "its rate");
}

static void is_no_bound(unsigned reasons, double pace_low_ppb,
			double pace_high_ppb, const char *what)
{
	struct tw_interval i = TW_SIZED(struct tw_interval);

	cpus.reasons = reasons;
	pairs[0].pace_low_ppb = pace_low_ppb;
	pairs[0].pace_high_ppb = pace_high_ppb;
	i = interval_of(0, 1, 2000);
	tap_ok(i.cpus == TW_CPUS_UNJUDGED && isinf(i.total.low_ns) &&
	       isinf(i.total.high_ns), "%s", what);
	cpus.reasons = 0;
	pairs[0].pace_low_ppb = pairs[0].pace_high_ppb = 0;
}

static void offsets(void)
{
	static const struct {
		unsigned begin_cpu, end_cpu;
		double low_ns, high_ns;
		enum tw_interval_cpus cpus;
		const char *what;
	} cases[] = {
		/* The end's counter is 20 to 50 ns ahead: the true interval is shorter by
		 * that. */
		{ 0, 1, -50, -20, TW_CPUS_PAIR, "from 0 to 1" },
		{ 1, 0, 20, 50, TW_CPUS_PAIR, "from 1 to 0" },
		{ 2, 0, -150, -100, TW_CPUS_PAIR, "from 2 to 0" },
		{ 1, 2, -INFINITY, 200, TW_CPUS_PAIR, "a bound that is missing" },
		{ TW_CPU_UNKNOWN, 0, -200, 200, TW_CPUS_ANY,
		  "unknown: the widest pair, both ways" },
		{ 0, 7, -INFINITY, INFINITY, TW_CPUS_UNJUDGED,
		  "a CPU that was not judged: no bound" },
	};

	for (unsigned k = 0; k < sizeof(cases) / sizeof(*cases); k++) {
		struct tw_interval i = interval_of(cases[k].begin_cpu, cases[k].end_cpu, 2000);

		is_error(&i.cpu_offset, cases[k].low_ns, cases[k].high_ns, cases[k].what);
		tap_ok(i.cpus == cases[k].cpus && i.ns == 1000, "and it says so");
	}
	cpus.cpus_skipped = 1;
	tap_ok(interval_of(TW_CPU_UNKNOWN, TW_CPU_UNKNOWN, 2000).cpus == TW_CPUS_UNJUDGED,
	       "unknown, and some were skipped");
	cpus.cpus_skipped = 0;
	is_no_bound(TW_REASON_PACE, 0, 0, "offsets that change are no bound");
	is_no_bound(TW_REASON_BACKWARDS, 0, 0, "nor where time ran backwards");
	is_no_bound(TW_REASON_STANDS_STILL, 0, 0, "nor where one stood still");
	is_no_bound(0, 1, 5, "a pair of which one is faster");
	is_no_bound(0, -5, -1, "or slower");
	state.reliability = NULL;
	tap_ok(interval_of(0, 1, 2000).cpus == TW_CPUS_UNJUDGED, "nobody looked: no bound");
	tap_ok(interval_of(3, 3, 2000).cpus == TW_CPUS_SAME &&
	       interval_of(3, 3, 2000).total.high_ns < 10, "one CPU needs no looking");
}

/* Every part is at an end of its range: the truth is never outside. */
static void worst(void)
{
	uint64_t random = tap_seed();
	unsigned outside = 0;

	begin();
	for (unsigned i = 0; i < 100000; i++) {
		unsigned bits = (unsigned)tap_random(&random);
		double rate = bits & 1 ? 300e-9 : -100e-9;
		double read = bits & 2 ? 24 : 0;
		int64_t ahead = bits & 4 ? 100 : 40;
		double true_ns = (double)(tap_random(&random) % (1ULL << 40));
		double counted = (true_ns + read) * HZ * 1e-9 * (1 + rate);
		int64_t ticks = (int64_t)floor(counted +
				(bits & 8 ? 0.999 : 0)) + ahead;
		struct tw_interval got = interval_of(0, 1, ticks);

		/* 2^40 ns as doubles: to a thousandth. */
		outside += true_ns - (double)got.ns < got.total.low_ns - 1e-3 ||
			   true_ns - (double)got.ns > got.total.high_ns + 1e-3;
	}
	tap_is_u64(outside, 0, "100000 intervals with every part at its worst");
}

static void refused(void)
{
	const struct tw_stamp in = { BASE + 10, 0 }, before = { BASE - 1, 0 };
	const struct tw_stamp last = { BASE + tested.scale.max_ticks, 0 };
	const struct tw_stamp beyond = { last.ticks + 1, 0 };
	struct tw_interval i = TW_SIZED(struct tw_interval);

	tap_ok(tw_interval(&tested, &before, &in, &i) == -ERANGE &&
	       tw_interval(&tested, &in, &before, &i) == -ERANGE,
	       "outside the clock's range: -ERANGE");
	tap_ok(tw_interval(&tested, &last, &last, &i) == 0 &&
	       tw_interval(&tested, &in, &beyond, &i) == -ERANGE,
	       "up to its last tick");
	tested.system = 1;
	tap_ok(tw_interval(&tested, &in, &in, &i) == -ENOTSUP,
	       "the system's clock: -ENOTSUP");
}

int main(void)
{
	begin();
	parts();
	offsets();
	worst();
	refused();
	return tap_done();
}
