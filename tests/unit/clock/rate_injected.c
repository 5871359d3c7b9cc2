/* SPDX-License-Identifier: MIT */
/*
 * Calibration on an injected pair of clocks of known rate, with jitter and
 * preemptions. The truth is always in the hard interval, and within five sigma. The
 * kernel's rate is found where there is one and never elsewhere. Fails if the fit
 * is biased, the error understated, or a guess too bold.
 */
#include <errno.h>
#include <math.h>

#include "tap.h"
#include "tickwise.h"

/*
 * The counter advances by the cost of a reading; the reference is a function of it.
 * Jitter: 0 to 3 ticks a reading, one in 500 is a short interruption, one in 20000
 * a long one.
 */
struct machine {
	uint64_t ticks;
	double ns_per_tick;
	uint64_t step_ns;		/* granularity of the reference */
	uint64_t step_ticks;		/* of the counter; 0: every tick */
	uint64_t random;
	int stands_still;
	uint64_t break_at_ticks;	/* from here 100 ppm faster; 0: never */
};

static void pass(struct machine *machine)
{
	uint64_t random = tap_random(&machine->random);

	machine->ticks += 30 + random % 4;
	if ((random >> 8) % 500 == 0)
		machine->ticks += 2000 + (random >> 40) % 2000;
	if ((random >> 8) % 20000 == 0)
		machine->ticks += 3000000;
}

static uint64_t read_ticks(void *context)
{
	struct machine *machine = context;

	pass(machine);
	if (machine->step_ticks)
		return machine->ticks / machine->step_ticks *
		       machine->step_ticks;
	return machine->stands_still ? 42 : machine->ticks;
}

static uint64_t read_ns(void *context)
{
	struct machine *machine = context;
	double ns;

	pass(machine);
	ns = (double)machine->ticks * machine->ns_per_tick;
	if (machine->break_at_ticks && machine->ticks > machine->break_at_ticks)
		ns += (double)(machine->ticks - machine->break_at_ticks) *
		      machine->ns_per_tick * 1e-4;
	return (uint64_t)ns / machine->step_ns * machine->step_ns;
}

static int measure_declared(struct machine *machine, int is_clocksource,
			    uint64_t witness_khz, uint64_t declared_hz,
			    struct tw_rate *rate)
{
	const struct tw_time_source source = {
		.size = sizeof(source),
		.read_ticks = read_ticks,
		.read_ns = read_ns,
		.context = machine,
		.granularity_ns = machine->step_ns,
		.counter_is_clocksource = is_clocksource,
		.witness_khz = witness_khz,
		.declared_hz = declared_hz,
	};
	const struct tw_rate_options options = {
		.size = sizeof(options),
		.window_ns = 20000000,
		.source = &source,
	};

	return tw_rate_measure(rate, &options);
}

static int measure(struct machine *machine, int is_clocksource,
		   uint64_t witness_khz, struct tw_rate *rate)
{
	return measure_declared(machine, is_clocksource, witness_khz, 0, rate);
}

#define KERNEL_MULT	6452780.0	/* 2599998 kHz, shift 24 */

static void honest_off_the_lattice(uint64_t *random)
{
	unsigned outside = 0, far = 0, claimed = 0, failed = 0, i;
	const unsigned rounds = 100;

	for (i = 0; i < rounds; i++) {
		/*
		 * Up to 190 ppb from the multiplier: between two multipliers, but
		 * at least 90 from both, twice the possible error of a fit.
		 */
		double apart_ppb = 90 + (double)(tap_random(random) % 100);
		struct machine machine = {
			.ticks = tap_random(random) >> 20,
			.ns_per_tick = KERNEL_MULT / 0x1p24 *
				       (1 + apart_ppb * 1e-9),
			.step_ns = 1,
			.random = tap_random(random) | 1,
		};
		double truth_hz = 1e9 / machine.ns_per_tick;
		struct tw_rate rate = TW_SIZED(struct tw_rate);

		if (measure(&machine, 0, 0, &rate)) {
			failed++;
			continue;
		}
		outside += truth_hz < rate.low_hz || truth_hz > rate.high_hz;
		/* 5 sigma of 100 normal draws: once in 17000 runs. */
		far += fabs(rate.hz / truth_hz - 1) * 1e9 >
		       5 * rate.uncertainty_ppb;
		claimed += rate.source != TW_RATE_REGRESSION;
	}
	tap_ok(failed == 0, "%u windows all measured", rounds);
	tap_ok(outside == 0, "the truth in the hard interval");
	tap_ok(far == 0, "the truth within five sigma");
	tap_ok(claimed == 0, "no kernel rate where the kernel has another "
	       "clocksource");
}

static void kernel_rate(uint64_t *random)
{
	struct machine machine = {
		.ticks = 1ULL << 40, .step_ns = 1,
		.ns_per_tick = KERNEL_MULT / 0x1p24,
		.random = tap_random(random) | 1,
	};
	struct tw_rate rate = TW_SIZED(struct tw_rate);

	tap_ok(measure(&machine, 1, 2599998, &rate) == 0 &&
	       rate.source == TW_RATE_KERNEL && rate.kernel_mult == 6452780 &&
	       rate.hz == 1e9 * 0x1p24 / 6452780 && rate.bound_ppb > 0,
	       "with a witness: the kernel's rate, exactly, bound kept");
	tap_ok(measure(&machine, 1, 0, &rate) == 0 &&
	       rate.source == TW_RATE_KERNEL_PROVISIONAL,
	       "without a witness: provisional");
	tap_ok(measure(&machine, 0, 2599998, &rate) == 0 &&
	       rate.source == TW_RATE_REGRESSION &&
	       rate.refusal == TW_REFUSED_CLOCKSOURCE,
	       "the right rate by chance, but another clocksource: refused");
	tap_ok(measure(&machine, 1, 2600000, &rate) == 0 &&
	       rate.source == TW_RATE_KERNEL_PROVISIONAL,
	       "a witness for another rate is none");
}

/*
 * Off x86 the kernel was told the frequency. 2^24 * 1e9 / 2500000400 is
 * 6710885.3; the whole kHz on both sides give 6710886 and 6710884.
 */
static void declared_rate(uint64_t *random)
{
	struct machine machine = {
		.ticks = 1ULL << 40, .step_ns = 1,
		.ns_per_tick = 6710885 / 0x1p24,
		.random = tap_random(random) | 1,
	};
	struct tw_rate rate = TW_SIZED(struct tw_rate);

	tap_ok(measure_declared(&machine, 1, 0, 2500000400, &rate) == 0 &&
	       rate.source == TW_RATE_KERNEL &&
	       rate.witness == TW_WITNESS_DECLARED &&
	       rate.kernel_mult == 6710885 && rate.kernel_shift == 24,
	       "a declared frequency: the kernel's rate, exactly");
	tap_ok(measure_declared(&machine, 1, 0, 2500002900, &rate) == 0 &&
	       rate.source == TW_RATE_REGRESSION &&
	       rate.refusal == TW_REFUSED_NO_CANDIDATE,
	       "declared 1 ppm away from the truth: refused");
	tap_ok(measure_declared(&machine, 0, 0, 2500000400, &rate) == 0 &&
	       rate.refusal == TW_REFUSED_CLOCKSOURCE,
	       "declared, but another clocksource: refused");
}

/* A reference that moves in steps: a reading means "within this step". */
static void coarse_reference(uint64_t *random)
{
	unsigned outside = 0, failed = 0, i;

	for (i = 0; i < 50; i++) {
		struct machine machine = {
			.ticks = tap_random(random) >> 20, .step_ns = 1000,
			.ns_per_tick = KERNEL_MULT / 0x1p24,
			.random = tap_random(random) | 1,
		};
		double truth_hz = 1e9 / machine.ns_per_tick;
		struct tw_rate rate = TW_SIZED(struct tw_rate);

		if (measure(&machine, 0, 0, &rate)) {
			failed++;
			continue;
		}
		outside += truth_hz < rate.low_hz || truth_hz > rate.high_hz;
	}
	tap_ok(failed == 0 && outside == 0,
	       "steps of 1000 ns: the truth in the hard interval");
}

/* A counter that shows only every 200th tick, so that most reads are equal. */
static void coarse_counter(uint64_t *random)
{
	unsigned outside = 0, far = 0, failed = 0, i;

	for (i = 0; i < 50; i++) {
		struct machine machine = {
			.ticks = tap_random(random) >> 20, .step_ns = 1,
			.step_ticks = 200,
			.ns_per_tick = KERNEL_MULT / 0x1p24,
			.random = tap_random(random) | 1,
		};
		double truth_hz = 1e9 / machine.ns_per_tick;
		struct tw_rate rate = TW_SIZED(struct tw_rate);

		if (measure(&machine, 0, 0, &rate)) {
			failed++;
			continue;
		}
		outside += truth_hz < rate.low_hz || truth_hz > rate.high_hz;
		far += fabs(rate.hz / truth_hz - 1) * 1e9 >
		       5 * rate.uncertainty_ppb;
	}
	tap_ok(failed == 0 && outside == 0,
	       "a counter in steps of 200: the truth in the hard interval");
	tap_ok(far == 0, "and within five sigma");
}

static void broken(uint64_t *random)
{
	struct machine machine = {
		.ticks = 1ULL << 40, .step_ns = 1, .stands_still = 1,
		.ns_per_tick = KERNEL_MULT / 0x1p24,
		.random = tap_random(random) | 1,
	};
	struct tw_rate rate = { .size = sizeof(rate), .hz = 1 };

	tap_ok(measure(&machine, 1, 0, &rate) == -EIO && rate.hz == 1,
	       "a counter that stands still: -EIO, output untouched");
	machine.stands_still = 0;
	machine.break_at_ticks = machine.ticks + 26000000;
	tap_ok(measure(&machine, 1, 0, &rate) == -EIO,
	       "a rate that changes by 100 ppm in mid-window: -EIO");
}

static void bad_options(void)
{
	struct tw_rate_options options = {
		.size = sizeof(options), .window_ns = 4999999,
	};
	struct tw_time_source empty = TW_SIZED(struct tw_time_source);
	struct tw_rate rate = TW_SIZED(struct tw_rate);

	tap_ok(tw_rate_measure(&rate, &options) == -EINVAL,
	       "a window under 5 ms: -EINVAL");
	options.window_ns = 3601 * TW_NS_PER_SECOND;
	tap_ok(tw_rate_measure(&rate, &options) == -EINVAL,
	       "a window over an hour: -EINVAL");
	options = (struct tw_rate_options) {
		.size = sizeof(options), .source = &empty,
	};
	tap_ok(tw_rate_measure(&rate, &options) == -EINVAL,
	       "a source without functions: -EINVAL");
	options = (struct tw_rate_options) {
		.size = sizeof(options), .against = (enum tw_against)7,
	};
	tap_ok(tw_rate_measure(&rate, &options) == -EINVAL,
	       "an unknown reference: -EINVAL");
}

int main(void)
{
	uint64_t random = tap_seed();

	honest_off_the_lattice(&random);
	kernel_rate(&random);
	declared_rate(&random);
	coarse_reference(&random);
	coarse_counter(&random);
	broken(&random);
	bad_options();
	return tap_done();
}
