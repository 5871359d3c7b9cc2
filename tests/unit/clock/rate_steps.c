/* SPDX-License-Identifier: MIT */
/*
 * Where the kernel's clock is made of a counter that moves in steps, its readings
 * are placed on the steps. The rate then has none of the wander of a reading inside
 * its bracket, and the result tells so. Where readings are not on steps, the
 * middles are used, with a bound of their drift that includes the step. Fails if
 * places are used that the readings do not have, or if samples at the two ends
 * alone let the line be a step off. Fails also if the stated error is too small
 * either way.
 */
#include "rate_start.h"

#define STARTS	200

struct tally {
	unsigned on_steps, failed, beyond, outside;
	double squares, normed;
};

/* Read a clock without steps, as of another crystal. */
static uint64_t read_other_ns(void *context)
{
	struct rate_machine *machine = context;
	double step_ticks = machine->counter_step_ticks;
	uint64_t ns;

	machine->counter_step_ticks = 0;
	ns = rate_read_ns(context);
	machine->counter_step_ticks = step_ticks;
	return ns;
}

static void add(struct tally *tally, const struct tw_fit *fit, double hz)
{
	double error_ppb = (fit->hz / hz - 1) * 1e9;
	double sigma_ppb = hypot(fit->sigma_ppb, fit->wander_ppb);

	tally->on_steps += fit->wander_ppb == 0;
	tally->beyond += fabs(error_ppb) > 3 * sigma_ppb;
	tally->outside += hz < fit->low_hz || hz > fit->high_hz;
	tally->squares += error_ppb * error_ppb;
	tally->normed += error_ppb * error_ppb / sigma_ppb / sigma_ppb;
}

static struct tally try(double step_ticks, int is_other, double wander,
			uint64_t seed)
{
	struct tally tally = { 0 };
	unsigned i;

	for (i = 0; i < STARTS; i++) {
		struct tw_brackets brackets = { .is_of_counter = !is_other };
		uint64_t random = rate_mix(seed, i), mult60;
		struct rate_machine machine;
		struct tw_kernel_rate rate;
		struct tw_fit fit;

		/* 2.1 to 2.9 GHz: steps of 24.5 ticks are 8.4 to 11.7 ns. */
		tw_kernel_rate_of_khz(2100000 + (uint32_t)
				      (tap_random(&random) % 800000), &rate);
		mult60 = (uint64_t)rate.mult << (60 - rate.shift);
		rate_machine_init(&machine, tap_random(&random), rate.hz,
				  mult60, RATE_QUIET, wander);
		machine.counter_step_ticks = step_ticks;
		if (is_other)
			machine.source.read_ns = read_other_ns;
		if (tw_brackets_collect(&brackets, RATE_WINDOW_NS,
					TW_AGAINST_RAW, &machine.source) ||
		    tw_fit_brackets(&brackets, &fit))
			tally.failed++;
		else
			add(&tally, &fit, rate.hz);
		tw_brackets_free(&brackets);
	}
	tap_note("steps of %g%s, wander %g: %u on steps, rms %.2f ppb, "
		 "error / sigma %.2f, %u beyond 3, %u outside", step_ticks,
		 is_other ? ", another clock" : "", wander, tally.on_steps,
		 sqrt(tally.squares / STARTS), sqrt(tally.normed / STARTS),
		 tally.beyond, tally.outside);
	return tally;
}

/*
 * rms(error / sigma) of 200 has a standard deviation of 0.05. Placed readings have
 * only the error of rounding; the bound of a drift is too large on purpose.
 */
static void is_honest(const struct tally *tally, const char *what)
{
	double rms = sqrt(tally->normed / STARTS);

	tap_ok(tally->failed == 0 && tally->outside == 0,
	       "%s: all within the hard interval", what);
	tap_ok(rms > 0.2 && rms < 1.2 && tally->beyond <= STARTS / 100,
	       "%s: sigma is what it says", what);
}

static void on_steps(uint64_t seed)
{
	struct tally tally = try(24.499978, 0, 5, seed);

	tap_ok(tally.on_steps == STARTS, "steps of 24.5: places are used");
	/*
	 * Rounding to a nanosecond makes 0.3 ns a reading: some thousand over 20 ms
	 * make less than 2 ppb, where the wander of the middles is 16.
	 */
	tap_ok(sqrt(tally.squares / STARTS) < 2, "and the wander is gone");
	is_honest(&tally, "on steps");
}

static void off_steps(uint64_t seed)
{
	/* The steps alone make it wander as on the AMD guest: 18 ppb. */
	struct tally tally = try(24.499978, 1, 3, seed);

	tap_ok(tally.on_steps == 0, "another clock: places are not used");
	is_honest(&tally, "another clock");
	tally = try(0, 0, 1, seed);
	tap_ok(tally.on_steps == 0, "no steps: places are not used");
	is_honest(&tally, "no steps");
}

/*
 * Brackets of 5 steps whose reading is 2 steps from the beginning, at the first and
 * the last @blocks of the window's 16. @slip steps are lost in between, as by a
 * line that is off. Return the rate of the fit, in ppb.
 */
static double slipped_ppb(unsigned blocks, double slip, double *wander_ppb)
{
	const double step = 24.5, ns_per_tick = 0.4;
	struct tw_brackets brackets = {
		.tolerance_ticks = 12, .granularity_ns = 1, .step_ticks = step,
		.is_of_counter = 1,
	};
	struct tw_bracket bracket[1600];
	struct tw_fit fit = { 0 };
	unsigned i;

	brackets.bracket = bracket;
	for (i = 0; i < 1600; i++) {
		uint64_t at = (uint64_t)i * 1250 * 25 / 24 + i * 7 % 11;
		double ticks = floor((double)at * step);
		double late = i < 800 ? 2 : 2 + slip;

		if (i / 100 >= blocks && i / 100 < 16 - blocks)
			continue;
		bracket[brackets.count++] = (struct tw_bracket) {
			(uint64_t)ticks, (uint64_t)(ticks + 5 * step),
			(uint64_t)((ticks + late * step) * ns_per_tick),
		};
	}
	tap_ok(!tw_fit_brackets(&brackets, &fit), "%u blocks at each end",
	       blocks);
	*wander_ppb = fit.wander_ppb;
	return (fit.hz * ns_per_tick / 1e9 - 1) * 1e9;
}

/* 4 of 16 blocks at each end are too few to tell, 5 are enough. */
static void at_both_ends(void)
{
	double wander_ppb, ppb;

	ppb = slipped_ppb(2, 0, &wander_ppb);
	tap_ok(wander_ppb > 0, "samples at the two ends: middles (%.2f ppb)",
	       ppb);
	ppb = slipped_ppb(5, 0, &wander_ppb);
	tap_ok(wander_ppb == 0 && fabs(ppb) < 2,
	       "in ten blocks of 16: places (%.2f ppb)", ppb);
	ppb = slipped_ppb(5, 0.5, &wander_ppb);
	tap_ok(wander_ppb > 0,
	       "readings that shift by half a step: middles (%.2f ppb)", ppb);
}

int main(void)
{
	uint64_t seed = tap_seed();

	on_steps(seed);
	off_steps(seed);
	at_both_ends();
	return tap_done();
}
