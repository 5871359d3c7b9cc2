/* SPDX-License-Identifier: MIT */
/*
 * The preload clock over a simulated counter and system clock whose slew NTP
 * changes: every answer is within |slew| x 1 ms + 50 ns of the system's clock, and
 * none is below the one before it. Fails if a segment begins with a step, or lives
 * longer than half a millisecond. Fails also if an interrupted reading is believed,
 * or if a slew that is too steep is followed.
 */
#include <math.h>
#include <string.h>

#include "preload_machine.h"

#define START	123456789012ULL

struct machine {
	struct preload_system system;
	struct tw_preload_source source;
	uint64_t random;
	uint64_t now;			/* ticks */
	double interrupted;		/* share of readings that are */
	int64_t moved_ticks;		/* the counter, by a suspend */
};

static double uniform(struct machine *machine)
{
	return (double)(tap_random(&machine->random) >> 11) * 0x1p-53;
}

static double between(struct machine *machine, double low, double high)
{
	return low + (high - low) * uniform(machine);
}

static void pass(struct machine *machine, double ns)
{
	machine->now += (uint64_t)(ns / machine->system.ns_per_tick) + 1;
}

/* The value read is true at one moment of the time that the reading takes. */
static void half_read(struct machine *machine, double ns)
{
	pass(machine, between(machine, 0.8 * ns, 1.2 * ns));
	if (uniform(machine) < machine->interrupted)
		pass(machine, between(machine, 500, 5000));
}

static uint64_t read_ticks(void *context)
{
	struct machine *machine = context;
	uint64_t ticks;

	half_read(machine, 6);
	ticks = machine->now + (uint64_t)machine->moved_ticks;
	half_read(machine, 6);
	return ticks;
}

static uint64_t read_ns(void *context)
{
	struct machine *machine = context;
	uint64_t ns;

	half_read(machine, 10);
	ns = preload_system_ns(&machine->system, machine->now);
	half_read(machine, 8);
	return ns;
}

static void set_up(struct machine *machine, struct tw_preload_clock *clock,
		   uint64_t seed, double hz, double piece_ns, uint64_t pieces,
		   double (*slew)(void *, uint64_t), void *context)
{
	*machine = (struct machine) {
		.source = { read_ticks, read_ns, machine },
		.random = seed,
		.now = START,
	};
	preload_system_init(&machine->system, hz, START, piece_ns, pieces, slew, context);
	*clock = (struct tw_preload_clock)TW_PRELOAD_CLOCK_INIT;
	/* The rate is known to some ppm only. */
	tw_preload_enable(clock, 1e9 / hz * (1 + between(machine, -5e-6, 5e-6)));
}

/* Read the clock as the preload library does. */
static uint64_t read_clock(struct machine *machine,
			   struct tw_preload_clock *clock)
{
	uint64_t seconds, ns;

	if (tw_preload_alone(clock, 64, read_ticks, machine, &seconds, &ns))
		return seconds * 1000000000 + ns;
	return tw_preload_ns(clock, &machine->source, 64);
}

struct seen {
	double worst_ns;		/* beyond the system's clock */
	uint64_t backwards;
	uint64_t reads;
};

/* Read until the pieces end, with pauses of up to @pause_ns. */
static struct seen run(struct machine *machine, struct tw_preload_clock *clock,
		       double pause_ns)
{
	uint64_t end = START + machine->system.piece_ticks *
			       (machine->system.pieces - 1);
	struct seen seen = { 0 };
	uint64_t last_ns = 0;

	while (machine->now < end) {
		uint64_t low_ns, high_ns, ns;

		low_ns = preload_system_ns(&machine->system, machine->now);
		ns = read_clock(machine, clock);
		high_ns = preload_system_ns(&machine->system, machine->now);
		seen.reads++;
		seen.backwards += ns < last_ns;
		last_ns = ns;
		seen.worst_ns = fmax(seen.worst_ns,
				     fmax((double)(int64_t)(low_ns - ns),
					  (double)(int64_t)(ns - high_ns)));
		/* Pause mostly briefly, sometimes long enough to expire. */
		pass(machine, pause_ns * pow(uniform(machine), 4));
	}
	return seen;
}

/* Alternate between the two extremes. */
static double flips(void *context, uint64_t piece)
{
	return piece % 2 ? *(double *)context : -*(double *)context;
}

static void check(const char *what, const struct seen *seen, double slew_ppm)
{
	/* A bound in whole numbers is compared with floored values. */
	double bound_ns = slew_ppm + TW_STEER_BOUND_NS;

	if (!tap_ok(seen->worst_ns <= bound_ns,
		    "%s: within %.0f ns", what, bound_ns))
		tap_note("%.1f ns in %" PRIu64 " reads", seen->worst_ns,
			 seen->reads);
	if (!tap_ok(!seen->backwards, "%s: never backwards", what))
		tap_note("%" PRIu64 " times", seen->backwards);
}

static void slews(uint64_t seed)
{
	static const double limits[] = { 0, 12, 100, 500 };
	static const double rates[] = { 1e9, 2.1e9, 4.7e9 };

	for (unsigned i = 0; i < sizeof(limits) / sizeof(*limits); i++) {
		for (unsigned j = 0; j < 6; j++) {
			struct preload_slew slew = { limits[i], seed + j };
			struct tw_preload_clock clock;
			struct machine machine;
			struct seen seen;
			char what[64];

			snprintf(what, sizeof(what), "slew up to %g ppm, %s, %g GHz",
				 limits[i], j < 3 ? "flipping" : "random", rates[j % 3] / 1e9);
			set_up(&machine, &clock, seed + i * 6 + j, rates[j % 3],
			       j % 2 ? 700000 : 3300000, 120,
			       j < 3 ? flips : preload_random_slew,
			       j < 3 ? (void *)&slew.limit_ppm : &slew);
			machine.interrupted = 0.001;
			seen = run(&machine, &clock, 3000);
			check(what, &seen, limits[i]);
			/* Otherwise the test tested the system's clock. */
			tap_ok(clock.counts.renewed > 50, "%s: from the counter", what);
			preload_system_free(&machine.system);
		}
	}
}

/* Every reading is interrupted, or no thread reads for long. */
static void disturbed(uint64_t seed)
{
	struct preload_slew slew = { 500, seed };
	struct tw_preload_clock clock;
	struct machine machine;
	struct seen seen;

	/* With 200 pieces, one seed in fifty left no reading disturbed from its beginning to
	 * its end. With five times as many, e^-20 will. */
	set_up(&machine, &clock, seed, 2.6e9, 1e6, 1000, preload_random_slew, &slew);
	machine.interrupted = 0.2;
	seen = run(&machine, &clock, 2000);
	check("every fifth read interrupted", &seen, 500);
	tap_ok(clock.counts.wide > 0, "readings were refused");
	preload_system_free(&machine.system);

	set_up(&machine, &clock, seed, 2.6e9, 1e6, 3000, preload_random_slew, &slew);
	machine.interrupted = 0.001;
	seen = run(&machine, &clock, 3e6);
	check("pauses of up to 3 ms", &seen, 500);
	tap_ok(clock.counts.entered > 10, "segments expired");
	preload_system_free(&machine.system);
}

static double steep_in_the_middle(void *context, uint64_t piece)
{
	return piece > 40 && piece < 80 ? *(double *)context : 100;
}

static void too_steep(uint64_t seed, double steep_ppm)
{
	struct tw_preload_clock clock;
	struct machine machine;
	struct seen seen;
	uint64_t renewed;
	char what[64];

	snprintf(what, sizeof(what), "slew of %g ppm", steep_ppm);
	set_up(&machine, &clock, seed, 2.6e9, 1e6, 120, steep_in_the_middle, &steep_ppm);
	machine.system.pieces = 70;
	run(&machine, &clock, 500);
	renewed = clock.counts.renewed;
	machine.system.pieces = 78;
	seen = run(&machine, &clock, 500);
	/* The ticks by which the rate is off are the system clock's own. */
	tap_ok(clock.counts.renewed == renewed && seen.worst_ns < 2,
	       "%s: the real clock", what);
	machine.system.pieces = 120;
	seen = run(&machine, &clock, 500);
	tap_ok(clock.counts.renewed > renewed,
	       "%s: the counter again, once it has ended", what);
	preload_system_free(&machine.system);

	set_up(&machine, &clock, seed, 2.6e9, 1e6, 120, steep_in_the_middle,
	       &steep_ppm);
	seen = run(&machine, &clock, 500);
	check(what, &seen, fabs(steep_ppm));
	preload_system_free(&machine.system);
}

/* The counter goes on and the system's clock does not; or the counter starts anew. The kernel
 * takes longer than a millisecond of its clock to stop all programs and to let them run. */
static void suspended(uint64_t seed, double counter_s)
{
	struct tw_preload_clock clock;
	struct machine machine;
	struct seen before, after;
	double none_ppm = 0;

	set_up(&machine, &clock, seed, 2.6e9, 1e6, 200, flips, &none_ppm);
	machine.system.pieces = 100;
	before = run(&machine, &clock, 500);
	machine.moved_ticks = (int64_t)(counter_s * 2.6e9);
	pass(&machine, 1e6);
	machine.system.pieces = 200;
	after = run(&machine, &clock, 500);
	check("before the suspend", &before, 0);
	check(counter_s > 0 ? "after it, the counter went on" :
	      "after it, the counter began anew", &after, 0);
	preload_system_free(&machine.system);
}

int main(void)
{
	uint64_t seed = tap_seed();

	slews(seed);
	disturbed(seed);
	too_steep(seed, 700);
	too_steep(seed, -700);
	too_steep(seed, 20000);
	too_steep(seed, -20000);
	suspended(seed, 3.5);
	suspended(seed, -40);
	return tap_done();
}
