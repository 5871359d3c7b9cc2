/* SPDX-License-Identifier: MIT */
/*
 * A calibration of 20 ms may leave more than one of the kernel's rates possible, or
 * have too few samples. It then goes on for as long again until one is left, and no
 * longer than it may. Fails if it gives up early, or if it goes on where all is
 * clear or nothing would help. Fails also if it takes longer than was asked for.
 */
#include <errno.h>
#include <math.h>

#include "tap.h"
#include "tickwise.h"

#define MS		UINT64_C(1000000)
#define KERNEL_MULT	6452780.0	/* 2599998 kHz, shift 24 */

/* A reading takes 30 to 33 ticks; the counter is the kernel's clock. */
struct machine {
	uint64_t ticks;
	uint64_t begin_ticks;
	uint64_t away_until_ticks;	/* all readings until then are disturbed */
	uint64_t granularity_ns;
	uint64_t random;
};

static void pass(struct machine *machine)
{
	machine->ticks += 30 + (tap_random(&machine->random) >> 33) % 4;
	if (machine->ticks < machine->away_until_ticks)
		machine->ticks += 2600000;	/* a millisecond */
}

static uint64_t read_ticks(void *context)
{
	struct machine *machine = context;

	pass(machine);
	return machine->ticks;
}

static uint64_t read_ns(void *context)
{
	struct machine *machine = context;
	double ns;

	pass(machine);
	ns = (double)machine->ticks * (KERNEL_MULT / 0x1p24);
	return (uint64_t)ns / machine->granularity_ns * machine->granularity_ns;
}

static int measure(uint64_t granularity_ns, double away_ms, uint64_t longest_ms,
		   int is_clocksource, struct tw_rate *rate)
{
	struct machine machine = {
		.ticks = UINT64_C(1) << 40, .begin_ticks = UINT64_C(1) << 40,
		.away_until_ticks = (UINT64_C(1) << 40) +
				    (uint64_t)(away_ms * 2.6e6),
		.granularity_ns = granularity_ns, .random = 1,
	};
	const struct tw_time_source source = {
		.size = sizeof(source),
		.read_ticks = read_ticks, .read_ns = read_ns,
		.context = &machine, .granularity_ns = granularity_ns,
		.counter_is_clocksource = is_clocksource,
		.witness_khz = 2599998,
	};
	const struct tw_rate_options options = {
		.size = sizeof(options),
		.window_ns = 20 * MS, .longest_ns = longest_ms * MS,
		.source = &source,
	};

	return tw_rate_measure(rate, &options);
}

/* The window is the time between the first and the last sample. */
static int is_about(const struct tw_rate *rate, double ms)
{
	tap_note("%.3f ms, refusal %x", (double)rate->window_ns / 1e6,
		 rate->refusal);
	return fabs((double)rate->window_ns / 1e6 - ms) < 1;
}

static int is_kernels(const struct tw_rate *rate)
{
	return rate->source == TW_RATE_KERNEL &&
	       rate->hz == 1e9 * 0x1p24 / KERNEL_MULT;
}

/*
 * Neighbouring multipliers are 155 ppb apart. The one taken must lie within E of
 * the fit and every other one beyond 2 E. E is six sigma and the drift that a
 * reading's place allows: a granularity of g ns over the window. 2 E < 385 (the
 * next kHz) takes g / window < 190 ppb at most.
 */
static void more_than_one(void)
{
	struct tw_rate rate = TW_SIZED(struct tw_rate);

	tap_ok(!measure(1, 0, 160, 1, &rate) && is_kernels(&rate) &&
	       is_about(&rate, 20), "1 ns: 20 ms are enough");
	tap_ok(!measure(20, 0, 0, 1, &rate) &&
	       rate.source == TW_RATE_REGRESSION &&
	       (rate.refusal & TW_REFUSED_AMBIGUOUS) && is_about(&rate, 20),
	       "20 ns, not allowed to go on: more than one fits");
	tap_ok(!measure(5, 0, 160, 1, &rate) && is_kernels(&rate) &&
	       is_about(&rate, 40), "5 ns: 40 ms");
	tap_ok(!measure(11, 0, 160, 1, &rate) && is_kernels(&rate) &&
	       is_about(&rate, 80), "11 ns: 80 ms");
	tap_ok(!measure(22, 0, 160, 1, &rate) && is_kernels(&rate) &&
	       is_about(&rate, 160), "22 ns: 160 ms");
	tap_ok(!measure(22, 0, 159, 1, &rate) &&
	       (rate.refusal & TW_REFUSED_AMBIGUOUS) && is_about(&rate, 80),
	       "allowed 159 ms: no more than 80");
	tap_ok(!measure(100, 0, 160, 1, &rate) &&
	       (rate.refusal & TW_REFUSED_AMBIGUOUS) && is_about(&rate, 160),
	       "100 ns: 160 ms, and then it is left open");
	tap_ok(!measure(22, 0, 160, 0, &rate) &&
	       rate.refusal == TW_REFUSED_CLOCKSOURCE && is_about(&rate, 20),
	       "another clocksource: samples can't help, 20 ms");
}

/* A first reading and most of 20 ms are disturbed: too few blocks are left. */
static void too_few(void)
{
	struct tw_rate rate = TW_SIZED(struct tw_rate);

	tap_ok(measure(1, 25, 0, 1, &rate) == -EAGAIN,
	       "away for nearly all of 20 ms, not allowed to go on: -EAGAIN");
	tap_ok(!measure(1, 25, 160, 1, &rate) && is_kernels(&rate) &&
	       rate.window_ns > 30 * MS && rate.window_ns < 90 * MS,
	       "allowed: the rate, after more");
}

static void bad_options(void)
{
	const struct tw_rate_options options = {
		.size = sizeof(options),
		.window_ns = 20 * MS, .longest_ns = 3601 * TW_NS_PER_SECOND,
	};
	struct tw_rate rate = TW_SIZED(struct tw_rate);

	tap_ok(tw_rate_measure(&rate, &options) == -EINVAL,
	       "longer than an hour: -EINVAL");
}

int main(void)
{
	more_than_one();
	too_few();
	bad_options();
	return tap_done();
}
