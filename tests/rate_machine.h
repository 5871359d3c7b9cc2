/* SPDX-License-Identifier: MIT */
/*
 * A simulated machine to calibrate on: a counter, the kernel's clock made of the
 * counter by multiply-and-shift, and disturbances of a reading of both. The truth
 * is known, time is virtual, and one seed makes one start.
 *
 * A bracket is lead, reading, trail. Lead and trail take core cycles. They stretch
 * and shrink with the core's frequency, and so does the place of the reading. Sizes
 * for WANDER 1 are from what real machines show over 20 ms:
 *
 * - The fit's error is 2 to 6 ppb rms and at most 15. A walk of the place that
 *   ends 0.07 ns (one sigma) off gives 3.8 ppb: the slope through a random walk
 *   is off by sqrt(6/5) of its end.
 * - A frequency ramp moves the place of the narrowest brackets by 3 ticks of
 *   2.6 GHz, 58 ppb. Lead and trail that differ by 20 cycles do that at 30 %.
 *   One start in fifty has such a ramp, of up to 30 %.
 * - A busy neighbour on the core (SMT) makes everything some per cent slower
 *   for fractions of a millisecond, lead and trail not alike.
 * - The kernel ticks every 4 ms; other interrupts take 1 to 5 us each.
 * - Other processes take the CPU for a few ms: one that spins every few ms, one
 *   that sleeps at one wake-up in thirty.
 *
 * WANDER n is n times the walk. An AMD guest showed 5 (tests/recordings): the line
 * through the middles was off by 18 ppb rms, and by 96 at most in 120 windows.
 *
 * A counter may move in steps. The kernel's clock is made of the value it shows.
 */
#ifndef TW_TESTS_RATE_MACHINE_H
#define TW_TESTS_RATE_MACHINE_H

#include <math.h>

#include "tap.h"
#include "tickwise.h"

enum rate_load {
	RATE_QUIET, RATE_NEIGHBOUR, RATE_BUSY_SPIN, RATE_BUSY_SLEEP, RATE_LOADS,
};

struct rate_machine {
	struct tw_time_source source;
	uint64_t random;
	double now_ticks;
	double hz;
	uint64_t mult60;		/* ns = ticks * mult60 >> 60 */
	double counter_step_ticks;	/* 0: the counter shows every tick */
	enum rate_load load;
	int reads;			/* steps of the bracket done: 0, 1 or 2 */
	unsigned sleeps;

	double between_ticks;		/* from one bracket to the next */
	double lead_ticks, trail_ticks;	/* now, with all effects */
	double lead_cycles, trail_cycles;
	double place_ticks;		/* walked so far */
	double walk_ticks;		/* one sigma of a step */
	double slower_by;		/* the core, at the window's end */
	double cold;			/* since the wake-up: slower by */
	int has_neighbour;

	/* The next events and their times. */
	double start_ticks, next_ticks;
	double step_ticks, interrupt_ticks, hole_ticks, neighbour_ticks;
};

#define RATE_WINDOW_NS	20000000
#define RATE_STEPS	400		/* of the walk, over the window */

__attribute__((unused))
static double rate_uniform(struct rate_machine *machine)
{
	return (double)(tap_random(&machine->random) >> 11) * 0x1p-53;
}

__attribute__((unused))
static double rate_between(struct rate_machine *machine, double low,
			   double high)
{
	return low + (high - low) * rate_uniform(machine);
}

/*
 * Return a normal number of one sigma. Twelve uniforms are as normal as a walk of
 * 400 steps needs.
 */
__attribute__((unused))
static double rate_normal(struct rate_machine *machine)
{
	double sum = -6;
	int i;

	for (i = 0; i < 12; i++)
		sum += rate_uniform(machine);
	return sum;
}

__attribute__((unused))
static double rate_after_us(struct rate_machine *machine, double mean_us)
{
	return machine->now_ticks -
	       log(1 - rate_uniform(machine)) * mean_us * 1e-6 * machine->hz;
}

__attribute__((unused))
static double rate_us(const struct rate_machine *machine, double us)
{
	return us * 1e-6 * machine->hz;
}

/* Compute what a bracket takes now. */
__attribute__((unused))
static void rate_settle(struct rate_machine *machine)
{
	double passed = (machine->now_ticks - machine->start_ticks) /
			rate_us(machine, RATE_WINDOW_NS / 1e3);
	double slower = 1 + machine->slower_by * fmin(1, passed) +
			machine->cold;
	double lead = slower, trail = slower;

	if (machine->has_neighbour) {
		lead *= rate_between(machine, 1.02, 1.3);
		trail *= rate_between(machine, 1.02, 1.3);
	}
	machine->lead_ticks = machine->lead_cycles * lead +
			      machine->place_ticks;
	machine->trail_ticks = machine->trail_cycles * trail -
			       machine->place_ticks;
}

__attribute__((unused))
static void rate_lose_cpu(struct rate_machine *machine)
{
	machine->now_ticks += rate_us(machine, rate_between(machine, 1000,
							    5000));
	machine->cold = rate_between(machine, 0, 0.5);
}

__attribute__((unused))
static double rate_next_hole(struct rate_machine *machine)
{
	switch (machine->load) {
	case RATE_BUSY_SPIN:
		return rate_after_us(machine, 4000);
	case RATE_BUSY_SLEEP:
		return rate_after_us(machine, 10000);
	default:
		return rate_after_us(machine, 500000);
	}
}

__attribute__((unused))
static void rate_happen(struct rate_machine *machine)
{
	if (machine->now_ticks >= machine->step_ticks) {
		double late = (machine->now_ticks - machine->step_ticks) /
			      rate_us(machine, 50);

		/* A walk continues between readings. */
		machine->place_ticks += machine->walk_ticks * sqrt(1 + late) *
					rate_normal(machine);
		machine->cold *= 0.3;
		machine->step_ticks = machine->now_ticks + rate_us(machine, 50);
	}
	if (machine->now_ticks >= machine->interrupt_ticks) {
		machine->now_ticks += rate_us(machine, rate_between(machine, 1,
								    5));
		machine->interrupt_ticks = rate_after_us(machine, 2000);
	}
	if (machine->now_ticks >= machine->hole_ticks) {
		rate_lose_cpu(machine);
		machine->hole_ticks = rate_next_hole(machine);
	}
	if (machine->now_ticks >= machine->neighbour_ticks) {
		machine->has_neighbour = !machine->has_neighbour;
		machine->neighbour_ticks = rate_after_us(machine, 400);
	}
	rate_settle(machine);
	machine->next_ticks = fmin(fmin(machine->step_ticks,
					machine->interrupt_ticks),
				   fmin(machine->hole_ticks,
					machine->neighbour_ticks));
}

/* Pipelines add 0 to 3 ticks, now and then up to 15. */
__attribute__((unused))
static void rate_pass(struct rate_machine *machine, double ticks)
{
	uint64_t random = tap_random(&machine->random);

	ticks += (double)(random >> 8 & 3);
	if ((random >> 16 & 7) == 0)
		ticks += (double)(random >> 24 & 15);
	machine->now_ticks += ticks;
	if (machine->now_ticks >= machine->next_ticks)
		rate_happen(machine);
}

__attribute__((unused))
static uint64_t rate_shown_ticks(const struct rate_machine *machine)
{
	double step = machine->counter_step_ticks;

	return (uint64_t)(step == 0 ? machine->now_ticks :
				      floor(machine->now_ticks / step) * step);
}

__attribute__((unused))
static uint64_t rate_read_ns(void *context)
{
	struct rate_machine *machine = context;

	rate_pass(machine, machine->lead_ticks);
	machine->reads = 2;
	return (uint64_t)((unsigned __int128)rate_shown_ticks(machine) *
			  machine->mult60 >> 60);
}

__attribute__((unused))
static uint64_t rate_read_ticks(void *context)
{
	struct rate_machine *machine = context;

	if (machine->reads == 2) {
		rate_pass(machine, machine->trail_ticks);
		machine->reads = 0;
	} else {
		/* The real reader pauses for a random time. */
		rate_pass(machine, machine->between_ticks *
				   rate_between(machine, 0.1, 1));
		machine->reads = 1;
	}
	return rate_shown_ticks(machine);
}

__attribute__((unused))
static void rate_sleep_ns(void *context, uint64_t duration_ns)
{
	struct rate_machine *machine = context;

	machine->sleeps++;
	/* The timer's slack, the idle state, the entry into the kernel. */
	machine->now_ticks += rate_us(machine, (double)duration_ns / 1e3 +
				      rate_between(machine, 2, 60));
	machine->cold = rate_between(machine, 0, 0.5);
	if (rate_uniform(machine) < 1 / 30.0)
		rate_lose_cpu(machine);
	rate_happen(machine);
}

/* @hz is the counter's true rate. @mult60 makes the kernel's clock of the counter. */
__attribute__((unused))
static void rate_machine_init(struct rate_machine *machine, uint64_t seed,
			      double hz, uint64_t mult60, enum rate_load load,
			      double wander)
{
	*machine = (struct rate_machine) {
		.source = {
			.size = sizeof(struct tw_time_source),
			.read_ticks = rate_read_ticks,
			.read_ns = rate_read_ns,
			.granularity_ns = 1,
			.counter_is_clocksource = 1,
			.sleep_ns = load == RATE_BUSY_SLEEP ? rate_sleep_ns :
							      NULL,
		},
		.random = seed | 1,
		.hz = hz, .mult60 = mult60, .load = load,
		.neighbour_ticks = INFINITY,
	};
	machine->source.context = machine;
	/* An uptime of up to an hour. */
	machine->now_ticks = hz * rate_between(machine, 1, 3600);
	machine->start_ticks = machine->now_ticks;
	machine->step_ticks = machine->now_ticks;
	/* In ns at a core of 3 GHz, 80 to 110 cycles a bracket. */
	machine->lead_cycles = hz / 3e9 * rate_between(machine, 40, 60);
	machine->trail_cycles = hz / 3e9 * rate_between(machine, 40, 50);
	/*
	 * Real brackets follow each other at once. A spinning reader takes more of
	 * them than are kept, so that one in a microsecond is enough.
	 */
	machine->between_ticks = rate_us(machine, load == RATE_BUSY_SLEEP ?
					 0.25 : 1);
	machine->walk_ticks = wander * 0.07e-9 * hz / sqrt(RATE_STEPS);
	if (rate_uniform(machine) < 1 / 50.0)
		machine->slower_by = rate_between(machine, -0.3, 0.3);
	machine->interrupt_ticks = rate_after_us(machine, 2000);
	machine->hole_ticks = rate_next_hole(machine);
	if (load == RATE_NEIGHBOUR)
		machine->neighbour_ticks = rate_after_us(machine, 400);
	rate_happen(machine);
}

#endif
