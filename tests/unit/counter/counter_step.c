/* SPDX-License-Identifier: MIT */
/*
 * The step of a counter is found to 0.1 tick from differences of its readings,
 * whole or not, scaled or shifted by a hypervisor. A counter without a step has 1.
 * Fails if a part or a multiple of the step is found, or if steps between whole
 * numbers are rounded. Fails also if a counter without a step gets one from a loop
 * that reads it at nearly equal times.
 */
#include <math.h>
#include <string.h>

#include "counter/step.h"
#include "tap.h"

/* Return what the counter shows at @time, both in ticks. */
static uint64_t shows(double time, double step, double shift)
{
	return (uint64_t)(floor(time / step) * step + shift);
}

/* Find the step from readings that are @least to @least + @spread ticks apart. */
static double find(double step, double least, double spread, unsigned readings,
		   uint64_t *random)
{
	double shift = (double)(tap_random(random) >> 40) * 0x1p-24;
	double time = (double)(tap_random(random) >> 24);
	uint64_t before = shows(time, step, shift);
	struct tw_steps steps;

	memset(&steps, 0, sizeof(steps));
	for (unsigned i = 0; i < readings; i++) {
		uint64_t ticks;

		time += least + spread * (double)(tap_random(random) >> 40) *
				0x1p-24;
		ticks = shows(time, step, shift);
		tw_steps_add(&steps, ticks - before);
		before = ticks;
	}
	return tw_steps_find(&steps);
}

/* Readings as fast as 20 ns at 2.4 GHz, slower ones, and those of a long burst. */
static const struct { double least, spread; } loops[] = {
	{ 50, 120 }, { 20, 180 }, { 100, 300 }, { 60, 800 },
};

static void try_step(double step, uint64_t *random)
{
	double worst = 0;

	for (unsigned loop = 0; loop < sizeof(loops) / sizeof(loops[0]); loop++)
		for (unsigned i = 0; i < 100; i++) {
			double found = find(step, loops[loop].least,
					    loops[loop].spread, 500, random);

			worst = fmax(worst, fabs(found - step));
		}
	tap_ok(worst < 0.1, "steps of %g: found to %.4f ticks", step, worst);
}

/* However narrow the loop: a spread of 5 ticks has no room for multiples. */
static void try_none(uint64_t *random)
{
	unsigned wrong = 0;

	for (unsigned i = 0; i < 1000; i++) {
		double least = (double)(tap_random(random) % 200);
		double spread = 5 + (double)(tap_random(random) % 300);

		wrong += find(1, least, spread, 500, random) != 1;
	}
	tap_is_u64(wrong, 0, "steps found where there is none");
}

/* Three distances and nothing between, but not multiples of one number. */
static void try_three_paths(void)
{
	struct tw_steps steps = { { 0 } };

	steps.seen[50] = steps.seen[81] = steps.seen[133] = 1000;
	tap_ok(tw_steps_find(&steps) == 1, "three distances: 1");
	steps.seen[81] = steps.seen[133] = 0;
	tap_ok(tw_steps_find(&steps) == 1, "one distance: 1");
	steps.seen[100] = 1000;
	tap_ok(tw_steps_find(&steps) == 1,
	       "one distance and its double, as a second pass makes it: 1");
	steps.seen[150] = steps.seen[200] = steps.seen[250] = steps.seen[300] = 5;
	tap_ok(tw_steps_find(&steps) == 1, "multiples as rare as misses prove nothing: 1");
	steps.seen[200] = steps.seen[250] = steps.seen[300] = 0;
	steps.seen[150] = 1000;
	tap_ok(tw_steps_find(&steps) == 50, "and the triple: 50");
	steps.seen[151] = 1000;
	tap_ok(tw_steps_find(&steps) == 1, "and a tick more: 1");
	steps.seen[151] = steps.seen[150] = steps.seen[100] = 0;
	steps.seen[0] = 1000;
	tap_ok(tw_steps_find(&steps) == 50, "one distance and equal ones: 50");
}

/* A core that slept goes on at another place: one reading in two hundred. */
static void try_disturbed(uint64_t *random)
{
	struct tw_steps steps = { { 0 } };

	for (unsigned i = 0; i < 1000; i++) {
		unsigned multiple = 2 + (unsigned)(tap_random(random) >> 33) % 9;

		steps.seen[(unsigned)(multiple * 24.5)] += 1;
	}
	for (unsigned i = 0; i < 5; i++)
		steps.seen[60 + tap_random(random) % 100]++;
	tap_ok(fabs(tw_steps_find(&steps) - 24.5) < 0.1,
	       "five of a thousand that don't fit: 24.5");
	for (unsigned i = 0; i < 100; i++)
		steps.seen[60 + tap_random(random) % 100]++;
	tap_ok(tw_steps_find(&steps) == 1, "a tenth: 1");
}

static void try_few(void)
{
	struct tw_steps steps = { { 0 } };

	tap_ok(tw_steps_find(&steps) == 1, "no reading: 1");
	steps.seen[0] = 1000;
	tap_ok(tw_steps_find(&steps) == 1, "none that differs: 1");
	steps.seen[1] = 30;
	tap_ok(tw_steps_find(&steps) == 1, "a tick now and then: 1");
	memset(&steps, 0, sizeof(steps));
	for (unsigned ticks = 48; ticks < 48 + 6 * 8; ticks += 8)
		steps.seen[ticks] = 5;
	tap_ok(tw_steps_find(&steps) == 1, "30 differences: too few");
	steps.seen[48] = 7;
	tap_ok(tw_steps_find(&steps) == 8, "32: 8");
}

static void try_reach(void)
{
	tap_is_u64(tw_step_reach_ticks(1), 1, "above a reading: 1");
	tap_is_u64(tw_step_reach_ticks(8), 8, "of whole steps: one step");
	/* The counter shows floor(k 24.5 + shift), which may be most of a tick lower. */
	tap_is_u64(tw_step_reach_ticks(24.5), 26, "of 24.5: 26");
}

int main(void)
{
	static const double steps[] = {
		1, 2, 3, 8, 24.5, 24.499978, 33.3, 41.6667, 100, 100.7,
	};
	uint64_t random = tap_seed();

	for (unsigned i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
		try_step(steps[i], &random);
	try_none(&random);
	try_three_paths();
	try_disturbed(&random);
	try_few();
	try_reach();
	return tap_done();
}
